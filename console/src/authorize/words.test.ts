import { expect, test } from 'vitest';
import { NO_SCOPE } from '../token-scope/words.ts';
import { describeConsequences, describeOrigin, proposeName } from './words.ts';

const AGENT = {
  clientName: 'Agent',
  clientHost: null,
  kind: 'agent' as const,
  readOnly: false,
  redirectHost: '127.0.0.1:5000',
  ip: null,
  problem: null,
};

test('says where the token goes and who vouches for the name', () => {
  expect(describeOrigin(AGENT)).toBe(
    'This name is unverified: the client chose it. The token goes to a program on this computer.',
  );
  expect(
    describeOrigin({ ...AGENT, clientHost: 'agent.example', redirectHost: '127.0.0.1.evil.example' }),
  ).toBe('agent.example vouches for this name. The token goes to the server 127.0.0.1.evil.example.');
  expect(describeOrigin({ ...AGENT, clientHost: 'agent.example' })).toBe(
    'agent.example vouches for this name. The token goes to a program on this computer, which may not be the one that agent.example vouches for. Continue only if you started it yourself.',
  );
  expect(describeOrigin({ ...AGENT, kind: 'personal' })).toBe(
    'The token goes to a program on this computer. Continue only if you started a login in a terminal yourself, a moment ago.',
  );
  expect(describeOrigin({ ...AGENT, redirectHost: null, ip: '203.0.113.7' })).toContain(
    'IP address 203.0.113.7',
  );
});

test('says what the client will be able to do', () => {
  expect(describeConsequences(NO_SCOPE)).toContain('whatever you can do');
  expect(describeConsequences({ ...NO_SCOPE, access: 'read' })).toBe(
    'It can read flags, events and settings in every project that you can read. It cannot change anything.',
  );
  expect(
    describeConsequences({
      ...NO_SCOPE,
      access: 'agent',
      projects: ['shop', 'pay'],
      environments: ['development'],
      maxChanges: '5',
      maxProductionRollout: '10',
    }),
  ).toBe(
    'It can read flags, events and settings in projects shop and pay, and change flags there wherever you can, only in development, at most 5 times, for at most 10 % of users in production. It cannot create tokens, grant access or connect other systems.',
  );
});

test('proposes a name that is not taken', () => {
  expect(proposeName(AGENT, [])).toBe('Agent');
  expect(proposeName(AGENT, ['Agent', 'Agent 2'])).toBe('Agent 3');
  expect(proposeName({ ...AGENT, clientHost: 'agent.example' }, ['Agent'])).toBe('Agent (agent.example)');
});
