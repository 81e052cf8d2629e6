import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '../app/router.js';

interface FormProps extends Pick<JSX.IntrinsicElements['form'], 'class' | 'role' | 'method'> {
  onSubmit?: () => unknown;
  children: ComponentChildren;
}

/** A form that stays on its page when it is submitted. */
export function Form({ onSubmit, ...props }: FormProps) {
  return (
    <form
      {...props}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    />
  );
}

/** A control below its label. */
export function Field({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{name}</span>
      {children}
    </label>
  );
}

/** A control whose label is only for screen readers. */
export function Labelled({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <label>
      <span class="sr">{name}</span>
      {children}
    </label>
  );
}

interface TextInputProps {
  value: string;
  placeholder?: string;
  required?: boolean;
  maxLength?: number;
  autocomplete?: 'off';
  spellcheck?: boolean;
  onText: (text: string) => void;
  /** Called on Enter, and when the field is left. */
  onApply?: () => void;
}

export function TextInput({ onText, onApply, ...props }: TextInputProps) {
  return (
    <input
      {...props}
      onInput={(event) => onText(event.currentTarget.value)}
      onBlur={onApply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onApply?.();
      }}
    />
  );
}

export interface UrlFieldProps {
  /** The parameter of the URL that the field sets. */
  parameter: string;
  value?: string;
  placeholder?: string;
}

/** A text field whose value is a parameter of the URL: Enter, or leaving the field, applies it. */
export function UrlField({ parameter, value = '', placeholder }: UrlFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => text.trim() !== value && setQuery({ [parameter]: text.trim() });
  return (
    <TextInput value={text} placeholder={placeholder} spellcheck={false} onText={setText} onApply={apply} />
  );
}

/** A button that is pressed or not. */
export function Toggle({
  pressed,
  onToggle,
  children,
}: {
  pressed: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}) {
  return (
    <button type="button" aria-pressed={pressed} class={pressed ? 'primary' : ''} onClick={onToggle}>
      {children}
    </button>
  );
}
