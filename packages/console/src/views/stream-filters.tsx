import { useState } from 'preact/hooks';
import type { EventFilter } from '#client';
import { hrefOf, navigate, parameter, setQuery } from '../app/router.js';
import { Button, Field, Form, Select, TextInput, UrlField } from '../parts/form.js';
import { Card } from '../parts/page.js';
import { Text } from '../parts/values.js';
import { WhereEditor } from '../parts/where-editor.js';

/** Orders of events, by the parameter of the URL; the first is the default. */
const orders = [
  ['', 'Newest first'],
  ['asc', 'Oldest first'],
] as const;

interface FiltersProps {
  filter: EventFilter;
  stream: string;
  error?: { at: number; message: string };
}

/** The filters of the API. Each change is a new URL. */
export function Filters({ filter, stream, error }: FiltersProps) {
  const isAscending = parameter('order') === 'asc';
  return (
    <Card class="filters" title="Filters" beside={<EntityFinder stream={stream} />}>
      <div class="grid">
        <ListField name="Type" parameter="type" values={filter.event_type as string[]} />
        <UrlField name="Type begins with" of="prefix" />
        <ListField name="Entity" parameter="entity" values={filter.entity_id as string[]} />
        <UrlField name="Since" of="since" placeholder="2026-01-31T10:00:00Z" />
        <UrlField name="Until" of="until" placeholder="2026-02-01T00:00:00Z" />
        <Select
          name="Order"
          value={isAscending ? 'asc' : ''}
          options={orders}
          onSelect={(order) => setQuery({ order })}
        />
      </div>
      <WhereEditor value={filter.where ?? ''} error={error} onApply={(where) => setQuery({ where })} />
    </Card>
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
            <Button
              key={value}
              class="chip"
              aria-label={`Remove ${value}`}
              onClick={() => setQuery({ [parameter]: values.filter((one) => one !== value) })}
            >
              <Text value={value} /> <span aria-hidden="true">×</span>
            </Button>
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
      <Field name="Entity id" isHidden>
        <TextInput value={id} placeholder="Entity id" spellcheck={false} onText={setId} />
      </Field>
      <button type="submit">Open entity</button>
    </Form>
  );
}
