import type { RefObject } from 'preact';
import { useImperativeHandle, useRef, useState } from 'preact/hooks';
import { completionAt, type Completion, type SqlView } from '../logic/sql-completion.js';
import { visibleText } from '../logic/visible-text.js';
import { Field, TextArea } from '../parts/form.js';

/** What other parts of the page do with the editor. */
export interface EditorHandle {
  /** Replaces the selection by a text. */
  insert: (text: string) => void;
  select: (start: number, end: number) => void;
}

interface SqlEditorProps {
  handle: RefObject<EditorHandle | null>;
  value: string;
  onText: (text: string) => void;
  views: readonly SqlView[];
  onRun: () => void;
  onCancel: () => void;
}

const listId = 'sql-suggestions';

/**
 * A field for a statement. What continues the typed word stands below: the arrow keys choose, Enter and Tab insert what
 * is chosen, Escape closes the list.
 */
export function SqlEditor({ handle, value, onText, views, onRun, onCancel }: SqlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [completion, setCompletion] = useState<Completion>();
  const [chosen, setChosen] = useState(-1);
  const suggest = (found: Completion | undefined) => {
    setCompletion(found);
    setChosen(-1);
  };
  const replace = (start: number, end: number, text: string) => {
    const field = area.current!;
    field.focus();
    field.setRangeText(text, start, end, 'end');
    onText(field.value);
    suggest(undefined);
  };
  useImperativeHandle(handle, () => ({
    insert: (text) => replace(area.current!.selectionStart, area.current!.selectionEnd, text),
    select: (start, end) => {
      area.current!.focus();
      area.current!.setSelectionRange(start, end);
    },
  }));
  const suggestions = completion?.suggestions ?? [];
  const accept = (index: number) =>
    replace(completion!.start, area.current!.selectionStart, suggestions[index]!.text);
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, (() => void) | undefined> = {
      Escape: completion ? () => suggest(undefined) : onCancel,
      ...(completion && {
        ArrowDown: () => setChosen((chosen + 1) % suggestions.length),
        ArrowUp: () => setChosen((chosen <= 0 ? suggestions.length : chosen) - 1),
      }),
      ...(chosen >= 0 && { Enter: () => accept(chosen), Tab: () => accept(chosen) }),
    };
    const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    const action = isRun ? onRun : keys[event.key];
    if (!action || event.isComposing) return;
    event.preventDefault();
    if (isRun) suggest(undefined);
    action();
  };
  return (
    <div class="sql-editor">
      <Field name="Statement">
        <TextArea
          ref={area}
          rows={Math.min(16, Math.max(6, value.split('\n').length + 1))}
          value={value}
          onText={(text) => {
            onText(text);
            suggest(completionAt(text, area.current!.selectionStart, views));
          }}
          onKeyDown={onKeyDown}
          onClick={() => suggest(undefined)}
          onBlur={() => suggest(undefined)}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completion && listId}
          aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
        />
      </Field>
      {completion && (
        <ul class="suggestions" id={listId} role="listbox" aria-label="Suggestions">
          {suggestions.map(({ text, about }, i) => (
            <li
              key={text}
              id={`${listId}-${i}`}
              role="option"
              aria-selected={i === chosen}
              // The field keeps the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                accept(i);
              }}
            >
              <code>{visibleText(text)}</code> <span class="muted small">{visibleText(about)}</span>
            </li>
          ))}
        </ul>
      )}
      <span class="sr" role="status">
        {completion && `${suggestions.length} suggestions. The arrow keys choose one.`}
      </span>
    </div>
  );
}
