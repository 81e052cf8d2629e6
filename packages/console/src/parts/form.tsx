import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AsyncAction } from '../app/resource.js';
import { parameter, setQuery } from '../app/router.js';

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

interface LabelProps {
  name: string;
  /** Whether the label is only for screen readers. */
  isHidden?: boolean;
}

/** A control below its label. */
export function Field({ name, isHidden, children }: LabelProps & { children: ComponentChildren }) {
  return (
    <label class={isHidden ? undefined : 'field'}>
      <span class={isHidden ? 'sr' : undefined}>{name}</span>
      {children}
    </label>
  );
}

type Input = Omit<JSX.IntrinsicElements['input'], 'label' | 'role' | 'type' | 'list'> & {
  /** The id of a list of suggestions. */
  list?: string;
};

interface TextInputProps extends Input {
  onText: (text: string) => void;
  /** Called on Enter, and when the field is left. */
  onApply?: () => void;
}

export function TextInput({ onText, onApply, ...props }: TextInputProps) {
  return (
    <input
      {...(props as JSX.IntrinsicElements['input'])}
      onInput={(event) => onText(event.currentTarget.value)}
      onBlur={onApply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onApply?.();
      }}
    />
  );
}

interface UrlFieldProps extends LabelProps {
  /** The name of the parameter. */
  of: string;
  placeholder?: string;
}

/** A text field whose value is a parameter of the URL: Enter, or leaving the field, applies it. */
export function UrlField({ of, placeholder, ...label }: UrlFieldProps) {
  const value = parameter(of) ?? '';
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => text.trim() !== value && setQuery({ [of]: text.trim() });
  return (
    <Field {...label}>
      <TextInput value={text} placeholder={placeholder} spellcheck={false} onText={setText} onApply={apply} />
    </Field>
  );
}

interface SelectProps extends LabelProps {
  value: string | number | undefined;
  options: readonly (readonly [value: string | number, text: string])[];
  onSelect: (value: string) => void;
}

/** A choice of one of some values. */
export function Select({ value = '', options, onSelect, ...label }: SelectProps) {
  return (
    <Field {...label}>
      <select value={value} onChange={(event) => onSelect(event.currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'action'> {
  /** What the button starts. The button is disabled while it runs. */
  action?: AsyncAction<[]>;
}

/** A button that submits no form. */
export function Button({ action, disabled, ...props }: ButtonProps) {
  const run = action && (() => action.run());
  return <button type="button" onClick={run} disabled={disabled || action?.running} {...props} />;
}

/** A box to choose a row of a table. */
export function Checkbox({ label, ...props }: Input & { label: string }) {
  return <input type="checkbox" aria-label={label} {...props} />;
}

type TextAreaProps = JSX.IntrinsicElements['textarea'] & { onText: (text: string) => void };

/** A field for code of several lines. */
export function TextArea({ onText, ...props }: TextAreaProps) {
  const onInput = (event: { currentTarget: HTMLTextAreaElement }) => onText(event.currentTarget.value);
  return <textarea class="mono" spellcheck={false} onInput={onInput} {...props} />;
}

/** A button that switches a view between a page of rows and `live`, a parameter of the URL. */
export function LiveToggle({ name }: { name: string }) {
  const isLive = parameter('live') !== undefined;
  return (
    <Button
      aria-pressed={isLive}
      class={isLive ? 'primary' : ''}
      onClick={() => setQuery({ live: isLive ? undefined : true })}
    >
      {isLive ? `Stop ${name.toLowerCase()}` : name}
    </Button>
  );
}
