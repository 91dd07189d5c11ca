import { expect, test } from 'vitest';
import { makeTurns } from './turns.ts';

const makeStream = (caller: string, name: string) => ({ caller, name });

test('a caller with one stream gets every other turn while another caller has 49 streams', () => {
  const turns = makeTurns();
  const streams = [
    ...Array.from({ length: 49 }, (_, n) => makeStream('ben', `ben ${n}`)),
    makeStream('cleo', 'cleo'),
  ];
  const servedNames: string[] = [];

  for (let n = 0; n < 10; n++) {
    const next = turns.next(streams);
    if (!next) break;
    servedNames.push(next.name);
    turns.end([next]);
    streams.splice(streams.indexOf(next), 1);
    streams.push(next);
  }

  expect(servedNames.filter(name => name === 'cleo')).toHaveLength(5);
  expect(new Set(servedNames).size).toBe(6);
});

test('a caller that reconnects after closing its stream does not gain an earlier turn', () => {
  const turns = makeTurns();
  turns.end([makeStream('ben', 'first')]);

  expect(turns.next([makeStream('ben', 'second'), makeStream('cleo', 'cleo')])?.name).toBe('cleo');
});

test('a shared turn counts as a turn of each of its callers', () => {
  const turns = makeTurns();
  turns.end([makeStream('ben', 'ben')]);
  turns.end([makeStream('ada', 'ada'), makeStream('cleo', 'cleo')]);

  expect(
    turns.next([makeStream('ada', 'ada'), makeStream('cleo', 'cleo'), makeStream('ben', 'ben')])?.name,
  ).toBe('ben');
});

test('without streams, no caller gets a turn', () => {
  expect(makeTurns().next([])).toBeUndefined();
});
