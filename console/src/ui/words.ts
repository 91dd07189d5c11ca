import { escapeControls } from './caller-text.ts';

const NUMBER = new Intl.NumberFormat('en');

/** Formats a number with its noun, for example as "1 event" or "2,341 events". */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;

export const formatNumber = (value: number): string => NUMBER.format(value);

/** Joins class names, ignoring those that do not apply. */
export const cx = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');

const SHORT_NAMES: Record<string, string> = { development: 'dev', staging: 'stage', production: 'prod' };

/** Shortens the name of a well-known environment where space is limited, for example to "prod". */
export const shortenEnvironment = (name: string): string => SHORT_NAMES[name] ?? name;

export type NamedUser = { id: number; name: string | null; username: string | null; email: string | null };

/**
 * Returns the user's name, or otherwise the username or email address, with control characters escaped because it becomes part of
 * sentences. It is in this file because the command palette needs it too.
 */
export const getDisplayName = ({ id, name, username, email }: NamedUser): string =>
  escapeControls(name || username || email || `User ${id}`);
