import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument, renderApiTypes, renderEvents } from './api-types.ts';
import { renderMantineVariables } from './mantine-variables.ts';

const read = (path: string): string => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8');

test('api.gen.ts is what `npm run api-types` writes', () => {
  expect(read('api/api.gen.ts') === renderApiTypes(readApiDocument())).toBe(true);
});

test('events.gen.ts is what `npm run api-types` writes', () => {
  expect(read('api/events.gen.ts') === renderEvents(readApiDocument())).toBe(true);
});

test('mantine.gen.css is what `npm run mantine-variables` writes', () => {
  expect(read('mantine.gen.css') === renderMantineVariables()).toBe(true);
});
