import { useState } from 'preact/hooks';
import type { EventFilter } from '#client';
import { hrefOf, navigate, setQuery } from '../app/router.js';
import { Field, Form, Labelled, TextInput, UrlField, type UrlFieldProps } from '../parts/form.js';
import { Text } from '../parts/values.js';
import { WhereEditor } from '../parts/where-editor.js';

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
        <Field name="Order">
          <select
            value={order}
            onChange={(event) => setQuery({ order: event.currentTarget.value === 'asc' ? 'asc' : undefined })}
          >
            <option value="desc">Newest first</option>
            <option value="asc">Oldest first</option>
          </select>
        </Field>
      </div>
      <WhereEditor value={filter.where ?? ''} error={error} onApply={(where) => setQuery({ where })} />
    </section>
  );
}

function TextField({ name, ...field }: UrlFieldProps & { name: string }) {
  return (
    <Field name={name}>
      <UrlField {...field} />
    </Field>
  );
}

interface ListFieldProps {
  name: string;
  parameter: string;
  values: readonly string[];
}

/** Values that are alternatives, each as a chip. */
function ListField({ name, parameter, values }: ListFieldProps) {
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
        <TextInput
          value={text}
          spellcheck={false}
          placeholder={values.length > 0 ? 'or …' : ''}
          onText={setText}
          onApply={add}
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

/** Opens the view of an entity by its id. */
function EntityFinder({ stream }: { stream: string }) {
  const [id, setId] = useState('');
  return (
    <Form
      class="inline"
      role="search"
      onSubmit={() => id !== '' && navigate(hrefOf(['entity'], { stream, id }))}
    >
      <Labelled name="Entity id">
        <TextInput value={id} placeholder="Entity id" spellcheck={false} onText={setId} />
      </Labelled>
      <button type="submit">Open entity</button>
    </Form>
  );
}
