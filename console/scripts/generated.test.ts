import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument, writeApiTypes, writeEvents } from './api-types.ts';
import { writeMantineVariables } from './mantine-variables.ts';

const read = (path: string): string => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8');

test('api.gen.ts is what `npm run api-types` writes', () => {
  expect(read('api/api.gen.ts') === writeApiTypes(readApiDocument())).toBe(true);
});

test('events.gen.ts is what `npm run api-types` writes', () => {
  expect(read('api/events.gen.ts') === writeEvents(readApiDocument())).toBe(true);
});

test('mantine.gen.css is what `npm run mantine-variables` writes', () => {
  expect(read('mantine.gen.css') === writeMantineVariables()).toBe(true);
});
