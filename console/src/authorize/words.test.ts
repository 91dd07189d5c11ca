import { expect, test } from 'vitest';
import { NO_SCOPE } from '../token-scope/words.ts';
import { consequences, freeName, originWords } from './words.ts';

const AGENT = {
  clientName: 'Agent',
  clientHost: null,
  kind: 'agent' as const,
  readOnly: false,
  redirectHost: '127.0.0.1:5000',
  ip: null,
  problem: null,
};

test('says who asks, and what confirms the name', () => {
  expect(originWords(AGENT)).toBe(
    'Nobody confirms this name: the program chose it itself. The token goes to a program on this computer.',
  );
  expect(originWords({ ...AGENT, clientHost: 'agent.example', redirectHost: '127.0.0.1.evil.example' })).toBe(
    'agent.example vouches for this name. The token goes to the server 127.0.0.1.evil.example.',
  );
  expect(originWords({ ...AGENT, clientHost: 'agent.example' })).toBe(
    'agent.example vouches for this name. The token goes to a program on this computer, which can be a different one. Continue only if you started it yourself.',
  );
  expect(originWords({ ...AGENT, kind: 'personal' })).toBe(
    'The token goes to a program on this computer. Continue only if you started a login in a terminal yourself, a moment ago.',
  );
  expect(originWords({ ...AGENT, redirectHost: null, ip: '203.0.113.7' })).toContain(
    'IP address 203.0.113.7',
  );
});

test('says what the program can do then', () => {
  expect(consequences(NO_SCOPE)).toContain('whatever you can do');
  expect(consequences({ ...NO_SCOPE, access: 'read' })).toBe(
    'It can read flags, events and settings in every project that you can read. It cannot change anything.',
  );
  expect(
    consequences({
      ...NO_SCOPE,
      access: 'agent',
      projects: ['shop', 'pay'],
      environments: ['development'],
      maxChanges: '5',
      maxProductionRollout: '10',
    }),
  ).toBe(
    'It can read flags, events and settings in projects shop and pay, and change flags there as you may, only in development, at most 5 times, at most for 10 % of users in production. It cannot create tokens, grant access or connect other systems.',
  );
});

test('proposes a name that is not taken', () => {
  expect(freeName(AGENT, [])).toBe('Agent');
  expect(freeName(AGENT, ['Agent', 'Agent 2'])).toBe('Agent 3');
  expect(freeName({ ...AGENT, clientHost: 'agent.example' }, ['Agent'])).toBe('Agent (agent.example)');
});
