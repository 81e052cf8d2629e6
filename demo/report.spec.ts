import { describe, expect, it } from 'vitest';
import { curlOf, sharesByHour } from './report.js';

describe('the share of late flights by hour', () => {
  it('is late flights divided by all flights for each hour, and zero if no flight was late', () => {
    const all = [
      { start: '2001-01-01T06:00:00.000000Z', count: 2000 },
      { start: '2001-01-01T07:00:00.000000Z', count: 10 },
    ];
    expect(sharesByHour(all, [{ start: '2001-01-01T06:00:00.000000Z', count: 500 }])).toEqual([
      { label: '06 h', value: 0.25, text: '25 % of 2 000' },
      { label: '07 h', value: 0, text: '0 % of 10' },
    ]);
  });
});

describe('the curl command of a query', () => {
  it('can be pasted: values are quoted, and the key is read from its file', () => {
    const options = { queryUrl: 'http://127.0.0.1:3902', apiKeyFile: '.tributary/api-key' };
    expect(
      curlOf(options, 'events/count', { stream: 'flights', where: 'event.data.delay > 15' }).join('\n'),
    ).toBe(
      'curl -G http://127.0.0.1:3902/api/v1/events/count -H "Authorization: Bearer $(cat .tributary/api-key)" \\\n' +
        "  --data-urlencode 'stream=flights' --data-urlencode 'where=event.data.delay > 15'",
    );
  });
});
