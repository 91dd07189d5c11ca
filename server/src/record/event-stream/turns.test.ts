import { expect, test } from 'vitest';
import { makeTurns } from './turns.ts';

const of = (caller: string, name: string) => ({ caller, name });

test('a caller with one stream gets every other turn while another caller has 49 streams', () => {
  const turns = makeTurns();
  const streams = [...Array.from({ length: 49 }, (_, n) => of('ben', `ben ${n}`)), of('cleo', 'cleo')];
  const served: string[] = [];

  for (let n = 0; n < 10; n++) {
    const next = turns.next(streams);
    if (!next) break;
    served.push(next.name);
    turns.end([next]);
    streams.splice(streams.indexOf(next), 1);
    streams.push(next);
  }

  expect(served.filter(name => name === 'cleo')).toHaveLength(5);
  expect(new Set(served).size).toBe(6);
});

test('a caller that closed its stream and connects again keeps its place', () => {
  const turns = makeTurns();
  turns.end([of('ben', 'first')]);

  expect(turns.next([of('ben', 'second'), of('cleo', 'cleo')])?.name).toBe('cleo');
});

test('a shared turn ends the turn of all its callers', () => {
  const turns = makeTurns();
  turns.end([of('ben', 'ben')]);
  turns.end([of('ada', 'ada'), of('cleo', 'cleo')]);

  expect(turns.next([of('ada', 'ada'), of('cleo', 'cleo'), of('ben', 'ben')])?.name).toBe('ben');
});

test('has no turn without streams', () => {
  expect(makeTurns().next([])).toBeUndefined();
});
