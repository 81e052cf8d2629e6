import { useEffect, useRef } from 'preact/hooks';
import { useResource } from '../app/resource.js';
import type { EditorOptions, MountedEditor, TextError } from './codemirror.js';
import { Loaded } from './states.js';

const library = () => import('./codemirror.js');

interface CodeEditorProps extends EditorOptions {
  /** What the editor begins with. Another text replaces what is typed. */
  text: string;
  /** Errors of the text, beside those that the check finds. */
  errors: readonly TextError[];
  /** What the check depends on, beside the text. */
  checkedFor?: string;
}

/** An editor of JSON, with completion and errors at their positions. CodeMirror is loaded when the first one is shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Loaded of={useResource(library, [])}>
      {({ mountEditor }) => <Editor {...props} mount={mountEditor} />}
    </Loaded>
  );
}

type Mount = (parent: HTMLElement, options: EditorOptions) => MountedEditor;

function Editor({ mount, ...props }: CodeEditorProps & { mount: Mount }) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<MountedEditor>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const shown = useRef(props.text);
  useEffect(() => {
    editor.current = mount(box.current!, {
      ...latest.current,
      onText: (text) => latest.current.onText(text),
      check: (text) => latest.current.check(text),
      completionsAt: (text, cursor) => latest.current.completionsAt(text, cursor),
    });
    return () => editor.current?.destroy();
  }, []);
  useEffect(() => {
    if (shown.current !== props.text) editor.current?.setText(props.text);
    shown.current = props.text;
  }, [props.text]);
  useEffect(() => editor.current?.recheck(), [props.checkedFor]);
  useEffect(() => editor.current?.showErrors(props.errors), [props.errors]);
  return <div ref={box} class="code-editor" />;
}
