import type { Exception } from './check.ts';

export const EXCEPTIONS: Exception[] = [
  {
    path: 'server/migrations/0006_flags.sql',
    text: 'whoever',
    reason: 'An applied migration cannot be edited: its checksum is stored.',
  },
  {
    path: 'server/src/test/recorded-events.ts',
    text: 'What',
    reason: 'Recorded data.',
  },
  {
    path: 'server/src/test/recorded-events.ts',
    text: 'Turns search off',
    reason: 'Recorded data.',
  },
  {
    path: 'console/src/ui/Toggle.tsx',
    text: 'role="switch"',
    reason: 'The name of a role in ARIA.',
  },
  {
    path: 'scripts/package/licences.ts',
    text: 'without limitation the rights',
    reason: 'The text of a licence.',
  },
  {
    path: 'console/src/deliveries/words.ts',
    text: "'refused'",
    reason: 'The word of TCP for a connection that the receiver does not accept.',
  },
  {
    path: 'console/src/deliveries/words.test.ts',
    text: "'refused'",
    reason: 'The word of TCP for a connection that the receiver does not accept.',
  },
];
