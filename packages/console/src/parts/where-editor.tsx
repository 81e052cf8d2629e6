import { useEffect, useState } from 'preact/hooks';
import { ProblemError } from '#client';
import { positionOf, splitAt } from '../logic/expression-error.js';
import { Field, TextArea } from './form.js';

/** Returns the position of the error if a problem is about `where`. */
export function whereError(error: unknown): { at: number; message: string } | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const found = error.problem.errors?.find(({ pointer }) => pointer === 'where');
  return found && (positionOf(found.detail) ?? { at: 0, message: found.detail });
}

interface WhereEditorProps {
  value: string;
  error?: { at: number; message: string };
  onApply: (text: string) => void;
}

/** An editor of a CEL condition: Enter applies it, an error is shown below its character. */
export function WhereEditor({ value, error, onApply }: WhereEditorProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const marked = error && splitAt(value, error.at);
  return (
    <div class="where">
      <Field name="Where">
        <TextArea
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          placeholder={'event.data.amount > 50 && event.data.currency == "EUR"'}
          aria-invalid={error !== undefined}
          aria-describedby={error && 'where-error'}
          onText={setText}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            onApply(text.trim());
          }}
          onBlur={() => text.trim() !== value && onApply(text.trim())}
        />
      </Field>
      {marked && (
        <p class="where-error" id="where-error" role="alert">
          <code>
            {marked.before}
            <mark>{marked.wrong}</mark>
            {marked.after}
          </code>
          <span>
            {error.message} <span class="muted">(character {error.at + 1})</span>
          </span>
        </p>
      )}
    </div>
  );
}
