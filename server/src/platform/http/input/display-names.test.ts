import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();

const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();

const NAMED: Record<string, (name: string) => Record<string, unknown>> = {
  projects: name => ({ name }),
  'api-tokens': tokenName => ({ tokenName, type: 'backend' }),
  'projects/default/api-tokens': username => ({ username, type: 'backend' }),
  segments: name => ({ name, constraints: [] }),
  groups: name => ({ name }),
  'service-account': name => ({ name, rootRole: 3 }),
  roles: name => ({ name, type: 'custom', permissions: [] }),
  'invite-link/tokens': name => ({ name, expiresAt: IN_A_DAY }),
};

/** Hangul fillers and the blank Braille pattern are a letter and a symbol that no font draws. */
const INVISIBLE = [
  '',
  ' ',
  '\u200b',
  '\u202e\u0007',
  '\u115f',
  '\u1160',
  '\u3164',
  ' \uffa0',
  '\u2800',
  '\u034f\ufe0f',
];

const post = (path: string, body: object) => call(harness.app, 'POST', `/api/admin/${path}`, { body });

test.each(Object.keys(NAMED))('POST /%s rejects a name without a visible character', async path => {
  const buildBody = NAMED[path] ?? (name => ({ name }));
  const field = path.endsWith('api-tokens') ? Object.keys(buildBody(''))[0] : 'name';

  for (const name of INVISIBLE) {
    const { status, body } = await post(path, buildBody(name));

    expect([codePoints(name), status, body.details]).toEqual([
      codePoints(name),
      400,
      [{ message: `${field} must contain a visible character`, path: `/body/${field}` }],
    ]);
  }
});

test.each(Object.keys(NAMED))('POST /%s accepts a name in any script, and one of symbols', async path => {
  const buildBody = NAMED[path] ?? (name => ({ name }));

  for (const name of ['결제', 'الدفع', '🚩', '👩‍🚀', '-', 'ㅤa']) {
    const { status } = await post(path, buildBody(name));

    expect([name, status]).toEqual([name, expect.toSatisfy((code: number) => code < 300)]);
  }
});

const codePoints = (name: string): string =>
  JSON.stringify(Array.from(name, char => char.codePointAt(0)?.toString(16)));
