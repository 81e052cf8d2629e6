import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { boundOf, type ViewTimes } from '../app/time-range.js';
import { localTime } from '../logic/format.js';
import { rangeTitles, readTime, type RefreshName } from '../logic/time-range.js';
import { Button, Select, TextInput } from './form.js';

const refreshTitles = [
  ['off', 'Off'],
  ['5s', 'Every 5 s'],
  ['15s', 'Every 15 s'],
  ['1m', 'Every minute'],
] satisfies (readonly [RefreshName, string])[];

/** The range of time of a view, and how often the view loads its data again. */
export function RangeBar({ times }: { times: ViewTimes }) {
  const { range, bounds, asOf, refreshEvery, hasAll } = times;
  const [isEditing, setEditing] = useState(false);
  const name = isEditing ? 'custom' : range.name;
  const select = (name: string) => {
    setEditing(name === 'custom');
    if (name !== 'custom') times.select({ range: name });
    else if (bounds.since) times.select({ since: toSecond(bounds.since), until: toSecond(bounds.until!) });
  };
  const whole = () => select(hasAll ? 'all' : '');
  const time = new Date(asOf).toISOString();
  return (
    <section class="range" aria-label="Time range">
      <div class="range-choice">
        <Select
          name="Range"
          value={name}
          options={rangeTitles.filter(([one]) => hasAll || one !== 'all')}
          onSelect={select}
        />
        {name === 'custom' && (
          <>
            <BoundField of="since" name="Since" times={times} />
            <BoundField of="until" name="Until" times={times} />
          </>
        )}
        {(range.name === 'custom' || times.zoomOut) && (
          <span class="range-back">
            {times.zoomOut && <Button onClick={times.zoomOut}>Previous range</Button>}
            {range.name === 'custom' && <Button onClick={whole}>Whole range</Button>}
          </span>
        )}
      </div>
      <div class="range-refresh">
        <span class="muted small digits">
          as of <time dateTime={time}>{time.slice(11, 19)}</time> UTC
        </span>
        <Button onClick={times.reload}>Refresh</Button>
        <Select
          name="Automatic refresh"
          value={refreshEvery}
          options={refreshTitles}
          onSelect={times.setRefresh}
        />
      </div>
    </section>
  );
}

interface BoundFieldProps {
  of: 'since' | 'until';
  name: string;
  times: ViewTimes;
}

/** A bound of a custom range: a text in UTC, or a choice of the browser's calendar. */
function BoundField({ of, name, times }: BoundFieldProps) {
  const { range, bounds, errors, select } = times;
  const value = range[of] ?? '';
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const set = (bound: string) => select({ since: range.since, until: range.until, [of]: bound || undefined });
  const error = errors[of];
  const time = readTime(text, times.asOf);
  return (
    <div class="field bound">
      <label for={id}>{name} (UTC)</label>
      <span class="bound-input">
        <TextInput
          id={id}
          value={text}
          placeholder={of === 'since' ? 'the first event' : 'no end'}
          spellcheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-note`}
          onText={setText}
          onApply={() => text.trim() !== value && set(boundOf(text))}
        />
        <Button
          class="pick"
          aria-label={`Choose ${of} from a calendar`}
          onClick={() => picker.current?.showPicker()}
        >
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d="M2 4h12v10H2zM2 7h12M5 2v3M11 2v3" />
          </svg>
        </Button>
        <input
          ref={picker}
          type="datetime-local"
          step="1"
          tabIndex={-1}
          aria-hidden="true"
          value={bounds[of]?.slice(0, 19) ?? ''}
          onChange={({ currentTarget: { value } }) => value !== '' && set(boundOf(value))}
        />
      </span>
      <span
        id={`${id}-note`}
        class={error ? 'bound-error small' : 'muted small'}
        role={error === undefined ? undefined : 'alert'}
      >
        {error ?? (time === undefined ? '' : localTime(time))}
      </span>
    </div>
  );
}

/** Returns a time without a fraction of a second. */
function toSecond(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
