import type { Search } from '../ui/search.ts';

/** What the page asks. The URL contains it, so that a link shows the same explanation. */
export type Question = { user?: string; permission?: string; project?: string; environment?: string };

const FIELDS = ['user', 'permission', 'project', 'environment'] as const;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The question in a URL. An environment without a project means nothing. */
export function questionOf(search: Search): Question {
  const question: Question = {};
  for (const field of FIELDS) {
    const text = textOf(search[field]);
    if (text !== undefined) question[field] = text;
  }
  if (question.project === undefined) delete question.environment;
  return question;
}

/** The question after a choice. An empty choice removes the field. */
export const withChoice = (question: Question, field: keyof Question, value: string): Question =>
  questionOf({ ...question, [field]: value });
