import type { Attack } from '../attack.ts';
import { adminAttacks } from './admin.ts';
import { anonymousAttacks } from './anonymous.ts';
import { sdkAttacks } from './sdk.ts';

export const ATTACKS: Attack[] = [...anonymousAttacks, ...adminAttacks, ...sdkAttacks];
