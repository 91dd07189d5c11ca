import { readFileSync, writeFileSync } from 'node:fs';
import type { Recorded, Recording } from './run.ts';
import type { Shape } from './shape.ts';

/** One operation on each line: its shapes, and for each case the status and the index of its shape. */
const FILE = new URL('recording.jsonl', import.meta.url);

type Line = { operation: string; shapes: Shape[]; cases: Record<string, [number, number?]> };

export function readRecording(): Recording {
  const lines = readFileSync(FILE, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(
    lines.map(line => {
      const { operation, shapes, cases }: Line = JSON.parse(line);
      const recorded = Object.entries(cases).map(([name, [status, shape]]): [string, Recorded] => [
        name,
        shape === undefined ? { status } : { status, shape: shapes[shape] ?? 'null' },
      ]);
      return [operation, Object.fromEntries(recorded)];
    }),
  );
}

export function writeRecording(recording: Recording): void {
  const lines = Object.entries(recording).map(([operation, cases]) => {
    const texts: string[] = [];
    const numberOf = (shape: Shape): number => {
      const text = JSON.stringify(shape);
      return texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1;
    };
    const entries = Object.entries(cases).map(([name, { status, shape }]) => [
      name,
      shape === undefined ? [status] : [status, numberOf(shape)],
    ]);
    return `{"operation":${JSON.stringify(operation)},"shapes":[${texts.join(',')}],"cases":${JSON.stringify(Object.fromEntries(entries))}}`;
  });
  writeFileSync(FILE, `${lines.join('\n')}\n`);
}
