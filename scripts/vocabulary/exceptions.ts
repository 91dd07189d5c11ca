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
];
