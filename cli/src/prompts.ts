// Loaded only for a prompt, because @clack/prompts takes as long to load as all other code.
import { isCancel, password, text } from '@clack/prompts';
import { interrupted, wrongUse } from './errors.ts';

async function answerOf(answer: Promise<string | symbol>): Promise<string> {
  const given = await answer;
  if (isCancel(given) || typeof given !== 'string') throw interrupted();
  return given;
}

/** Prompts go to standard error, so that standard output contains only data. */
const output = process.stderr;

export const askForText = (message: string, initialValue = ''): Promise<string> =>
  answerOf(text({ message, initialValue, output, validate: value => (value ? undefined : 'Type a value.') }));

export const askForSecret = (message: string): Promise<string> =>
  answerOf(password({ message, output, validate: value => (value ? undefined : 'Paste the token.') }));

export async function askForName(question: string, name: string): Promise<void> {
  const answer = await answerOf(text({ message: `${question} Type ${name} to confirm.`, output }));
  if (answer !== name)
    throw wrongUse(
      `You typed ${JSON.stringify(answer)} instead of ${JSON.stringify(name)}. Nothing was changed.`,
    );
}
