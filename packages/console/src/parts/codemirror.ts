import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
  type Completion,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, linter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { CompletionsAt, JsonCompletion, JsonCompletions } from '../logic/json-completion.js';
import type { TextRange } from '../logic/json-position.js';

/** An error of a text, and where it is. */
export interface TextError extends TextRange {
  message: string;
}

export interface EditorOptions {
  text: string;
  label: string;
  onText: (text: string) => void;
  /** Returns the errors of a JSON text, after the user has paused. */
  check: (text: string) => Promise<readonly TextError[]>;
  completionsAt: CompletionsAt;
}

/** An editor in the page. */
export interface MountedEditor {
  setText: (text: string) => void;
  /** Marks errors until the text changes. */
  showErrors: (errors: readonly TextError[]) => void;
  /** Checks the text again, when the check has changed. */
  recheck: () => void;
  destroy: () => void;
}

const checkAgain = StateEffect.define<null>();

const pauseMs = 500;

/** Shows an editor of JSON in an element. The styles of CodeMirror need a shadow root: the policy of the page forbids inline styles. */
export function mountEditor(parent: HTMLElement, options: EditorOptions): MountedEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: options.text, extensions: extensionsOf(options) }),
  });
  return {
    setText: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    showErrors: (errors) => view.dispatch(setDiagnostics(view.state, errors.map(diagnosticOf))),
    recheck: () => view.dispatch({ effects: checkAgain.of(null) }),
    destroy: () => view.destroy(),
  };
}

/** Tab moves the focus, as everywhere in the page. */
function extensionsOf({ label, onText, check, completionsAt }: EditorOptions) {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    json(),
    syntaxHighlighting(colors),
    lintGutter(),
    linter((view) => diagnosticsOf(view, check), {
      delay: pauseMs,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(checkAgain))),
    }),
    autocompletion({ override: [completionSource(completionsAt)], icons: false }),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...lintKeymap,
      ...defaultKeymap,
      { key: 'Mod-Enter', run: acceptCompletion },
    ]),
    EditorView.lineWrapping,
    EditorView.domEventHandlers({ beforeinput: replaceSelection }),
    // A scrolling region must have a focusable element: a content that is only editable is none for axe.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
    theme,
  ];
}

/**
 * Types over a selection. If the browser did it, it would keep the color of the selected text in an inline style, which the
 * policy of the page forbids and reports.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { inputType, data } = event;
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== 'insertText' || !data || empty || !event.cancelable) return false;
  const insert = () => view.state.update({ ...view.state.replaceSelection(data), userEvent: 'input.type' });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handles) => handles(view, from, to, data, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

const syntaxErrors = jsonParseLinter();

/** Returns the errors of JSON syntax; without them, those that a check finds. */
async function diagnosticsOf(
  view: EditorView,
  check: EditorOptions['check'],
): Promise<readonly Diagnostic[]> {
  const syntax = syntaxErrors(view);
  const checked = await check(view.state.doc.toString());
  return syntax.length > 0 ? syntax : checked.map(diagnosticOf);
}

function diagnosticOf({ from, to, message }: TextError): Diagnostic {
  return { from, to, message, severity: 'error' };
}

function completionSource(completionsAt: CompletionsAt): CompletionSource {
  return ({ state, pos, explicit }) => {
    const found = completionsAt(state.doc.toString(), pos);
    if (!found || found.options.length === 0) return null;
    if (!explicit && pos === found.from && !found.isQuoted) return null;
    return {
      from: found.from,
      options: found.options.map((option) => completionOf(option, found)),
      validFor: /^[\w.-]*$/,
    };
  };
}

function completionOf(option: JsonCompletion, { isName, isQuoted }: JsonCompletions): Completion {
  const { label, info, value = '' } = option;
  const apply = (view: EditorView, ...[, from, to]: [Completion, number, number]) => {
    const after = view.state.sliceDoc(to, to + 100);
    const rest = after.startsWith('"') ? after.slice(1) : after;
    const member = isName && !/^\s*:/.test(rest) ? `: ${value}` : '';
    const insert = `"${label}"${member}`;
    const start = isQuoted ? from - 1 : from;
    // The cursor moves into an empty object, array or string.
    const anchor = start + insert.length - (/[}\]"]$/.test(member) ? 1 : 0);
    view.dispatch({
      changes: { from: start, to: to + after.length - rest.length, insert },
      selection: { anchor },
      userEvent: 'input.complete',
    });
    if (member !== '') startCompletion(view);
  };
  return { label, apply, ...(info !== undefined && { info: plain(info) }) };
}

/** Returns Markdown of the OpenAPI document without its marks, shortened to its first paragraph. */
function plain(text: string): string {
  return text.split('\n\n', 1)[0]!.replaceAll('`', '');
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--info)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const theme = EditorView.theme({
  '&': {
    maxHeight: '60vh',
    border: '1px solid color-mix(in srgb, var(--muted) 55%, transparent)',
    borderRadius: '6px',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12.5px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content, .cm-gutter': { minHeight: '180px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    background: 'var(--sunken)',
    color: 'var(--muted)',
    border: 'none',
    borderRadius: '6px 0 0 6px',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    background: 'var(--surface)',
    color: 'var(--text)',
    maxWidth: 'min(480px, 80vw)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  // The images of CodeMirror are data URLs, which the policy of the page forbids.
  '.cm-lint-marker-error': {
    content: 'normal',
    width: '0.8em',
    height: '0.8em',
    marginTop: '0.25em',
    borderRadius: '50%',
    background: 'var(--bad)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
});
