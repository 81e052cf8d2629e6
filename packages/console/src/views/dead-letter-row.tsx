import { useState } from 'preact/hooks';
import type { DeadLetter } from '#client';
import { hrefOf } from '../app/router.js';
import { visibleText } from '../logic/visible-text.js';
import { LongText } from '../parts/json-view.js';
import { Text, Time } from '../parts/values.js';

interface RowProps {
  letter: DeadLetter;
  columnCount: number;
  chosen: boolean;
  onChoose: () => void;
}

/** One dead letter of the table, and its record on demand. */
export function DeadLetterRow({ letter, columnCount, chosen, onChoose }: RowProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr class={open ? 'open' : undefined}>
        <td>
          <input type="checkbox" checked={chosen} onChange={onChoose} aria-label={`Select ${letter.id}`} />
        </td>
        <td class="nowrap">
          <button type="button" class="expand" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span class="caret" aria-hidden="true" />
            <Time value={letter.created_at} />
          </button>
        </td>
        <td>
          <code>{letter.reason}</code>
        </td>
        <td>
          <Source source={letter.source} />
        </td>
        <td>
          <a href={hrefOf(['streams', letter.stream])}>{letter.stream}</a>
        </td>
        <td class="error">
          <Text value={letter.error.slice(0, 200)} />
        </td>
        <td>
          <Time value={letter.replayed_at} />
        </td>
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={columnCount}>
            <dl class="facts">
              <div>
                <dt>Id</dt>
                <dd>{letter.id}</dd>
              </div>
              <div>
                <dt>Partition and offset</dt>
                <dd>
                  {letter.partition}:{letter.offset}
                </dd>
              </div>
              {letter.operator !== null && (
                <div>
                  <dt>Operator</dt>
                  <dd>
                    <code>{letter.operator}</code>
                  </dd>
                </div>
              )}
              <div>
                <dt>Error</dt>
                <dd>
                  <LongText text={visibleText(letter.error)} />
                </dd>
              </div>
            </dl>
            <h3>Record</h3>
            <LongText text={visibleText(letter.event)} class="mono" />
          </td>
        </tr>
      )}
    </>
  );
}

function Source({ source }: { source: string }) {
  const [, kind, name] = /^(projection|pipeline):(.+)$/.exec(source) ?? [];
  return kind && name ? <a href={hrefOf([`${kind}s`, name])}>{source}</a> : <>{source}</>;
}
