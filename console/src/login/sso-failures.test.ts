import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseErrorId, parseSeconds, SSO_FAILURES } from './sso-failures.ts';

test('has a message for every documented reason', () => {
  const page = readFileSync(new URL('../../../docs/reference/single-sign-on.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Failures in the browser\n');
  const reasons = [...section.matchAll(/^\| `([a-z-]+)` /gm)].map(([, reason]) => reason);

  expect(reasons.length).toBeGreaterThan(10);
  expect(Object.keys(SSO_FAILURES)).toEqual(reasons);
});

test('shows no arbitrary text from the URL', () => {
  expect(parseErrorId('Call +1 555 0100')).toBeUndefined();
  expect(parseErrorId('0b8f4d1e-3f1c-4a34-9d7e-0d6f6a4f5b10')).toBe('0b8f4d1e-3f1c-4a34-9d7e-0d6f6a4f5b10');
  expect(parseSeconds('a lot')).toBe(0);
  expect(parseSeconds('840')).toBe(840);
});
