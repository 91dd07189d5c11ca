import { readFileSync, writeFileSync } from 'node:fs';
import type { RecordedResponse, Recording } from './run.ts';
import type { Shape } from './shape.ts';

/** Each line has an operation, its shapes, and for each case the status and the index of the shape. */
const FILE = new URL('recording.jsonl', import.meta.url);

type Line = { operation: string; shapes: Shape[]; cases: Record<string, [number, number?]> };

export function readRecording(): Recording {
  const lines = readFileSync(FILE, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(
    lines.map(line => {
      const { operation, shapes, cases }: Line = JSON.parse(line);
      const responses = Object.entries(cases).map(([name, [status, shape]]): [string, RecordedResponse] => [
        name,
        shape === undefined ? { status } : { status, shape: shapes[shape] ?? 'null' },
      ]);
      return [operation, Object.fromEntries(responses)];
    }),
  );
}

export function writeRecording(recording: Recording): void {
  const lines = Object.entries(recording).map(([operation, cases]) => {
    const texts: string[] = [];
    const getShapeIndex = (shape: Shape): number => {
      const text = JSON.stringify(shape);
      return texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1;
    };
    const entries = Object.entries(cases).map(([name, { status, shape }]) => [
      name,
      shape === undefined ? [status] : [status, getShapeIndex(shape)],
    ]);
    return `{"operation":${JSON.stringify(operation)},"shapes":[${texts.join(',')}],"cases":${JSON.stringify(Object.fromEntries(entries))}}`;
  });
  writeFileSync(FILE, `${lines.join('\n')}\n`);
}
