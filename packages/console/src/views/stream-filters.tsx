import { useState } from 'preact/hooks';
import type { EventFilter } from '#client';
import { setQuery } from '../app/router.js';
import { UrlField } from '../parts/url-field.js';
import { Text } from '../parts/values.js';
import { WhereEditor } from '../parts/where-editor.js';
import { EntityFinder } from './entity-finder.js';

interface FiltersProps {
  filter: EventFilter;
  stream: string;
  order: 'asc' | 'desc';
  error?: { at: number; message: string };
}

/** The filters of the API. Each change is a new URL. */
export function Filters({ filter, stream, order, error }: FiltersProps) {
  return (
    <section class="card filters" aria-label="Filters">
      <div class="card-head">
        <h2>Filters</h2>
        <EntityFinder stream={stream} />
      </div>
      <div class="grid">
        <ListField name="Type" parameter="type" values={filter.event_type as string[]} />
        <TextField name="Type begins with" parameter="prefix" value={filter.event_type_prefix} />
        <ListField name="Entity" parameter="entity" values={filter.entity_id as string[]} />
        <TextField
          name="Since"
          parameter="since"
          value={filter.since as string}
          placeholder="2026-01-31T10:00:00Z"
        />
        <TextField
          name="Until"
          parameter="until"
          value={filter.until as string}
          placeholder="2026-02-01T00:00:00Z"
        />
        <label class="field">
          <span>Order</span>
          <select
            value={order}
            onChange={(event) => setQuery({ order: event.currentTarget.value === 'asc' ? 'asc' : undefined })}
          >
            <option value="desc">Newest first</option>
            <option value="asc">Oldest first</option>
          </select>
        </label>
      </div>
      <WhereEditor value={filter.where ?? ''} error={error} onApply={(where) => setQuery({ where })} />
    </section>
  );
}

interface TextFieldProps {
  name: string;
  parameter: string;
  value?: string;
  placeholder?: string;
}

function TextField({ name, ...field }: TextFieldProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <UrlField {...field} />
    </label>
  );
}

/** Values that are alternatives, each as a chip. */
function ListField({
  name,
  parameter,
  values,
}: {
  name: string;
  parameter: string;
  values: readonly string[];
}) {
  const [text, setText] = useState('');
  const add = () => {
    const value = text.trim();
    setText('');
    if (value !== '') setQuery({ [parameter]: [...new Set([...values, value])] });
  };
  return (
    <div class="field">
      <label>
        <span>{name}</span>
        <input
          value={text}
          spellcheck={false}
          placeholder={values.length > 0 ? 'or …' : ''}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key === 'Enter') add();
          }}
        />
      </label>
      {values.length > 0 && (
        <div class="chips">
          {values.map((value) => (
            <button
              key={value}
              type="button"
              class="chip"
              aria-label={`Remove ${value}`}
              onClick={() => setQuery({ [parameter]: values.filter((one) => one !== value) })}
            >
              <Text value={value} /> <span aria-hidden="true">×</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
