import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '../app/router.js';

interface UrlFieldProps {
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
    <input
      value={text}
      placeholder={placeholder}
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
    />
  );
}
