import { useState } from 'preact/hooks';
import { hrefOf, navigate, parameter, setQuery } from '../app/router.js';
import type { ViewTimes } from '../app/time-range.js';
import { Button, Field, Form, Select, TextInput, UrlField } from '../parts/form.js';
import { Card } from '../parts/page.js';
import { Text } from '../parts/values.js';
import { WhereEditor } from '../parts/where-editor.js';
import { useSuggestions } from './filter-suggestions.js';
import type { StreamFilter } from './stream-histogram.js';

/** Orders of events, by the parameter of the URL; the first is the default. */
const orders = [
  ['', 'Newest first'],
  ['asc', 'Oldest first'],
] as const;

interface FiltersProps {
  filter: StreamFilter;
  times: ViewTimes;
  error?: { at: number; message: string };
}

/** The filters of the API. Each change is a new URL. The suggestions are loaded when the filters have the focus. */
export function Filters({ filter, times, error }: FiltersProps) {
  const isAscending = parameter('order') === 'asc';
  const [isUsed, setUsed] = useState(false);
  const use = () => setUsed(true);
  const { types, entities } = useSuggestions(filter.stream, times, !isUsed);
  return (
    <Card class="filters" title="Filters" beside={<EntityFinder stream={filter.stream} onUse={use} />}>
      <Suggestions id={lists.type} values={types} />
      <Suggestions id={lists.entity} values={entities} />
      <div class="grid" onFocusCapture={use}>
        <ListField name="Type" parameter="type" values={filter.event_type as string[]} />
        <UrlField name="Type begins with" of="prefix" />
        <ListField name="Entity" parameter="entity" values={filter.entity_id as string[]} />
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

/** The ids of the lists of suggestions, by the parameters of the URL. */
const lists = { type: 'event-types', entity: 'entities' } as const;

/** Suggestions for the text fields that name the list. */
export function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

interface ListFieldProps {
  name: string;
  parameter: keyof typeof lists;
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
          list={lists[parameter]}
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
function EntityFinder({ stream, onUse }: { stream: string; onUse: () => void }) {
  const [id, setId] = useState('');
  return (
    <Form
      class="inline"
      role="search"
      onSubmit={() => id !== '' && navigate(hrefOf(['entity'], { stream, id }))}
    >
      <Field name="Entity id" isHidden>
        <TextInput
          value={id}
          placeholder="Entity id"
          spellcheck={false}
          list={lists.entity}
          onFocus={onUse}
          onText={setId}
        />
      </Field>
      <button type="submit">Open entity</button>
    </Form>
  );
}
