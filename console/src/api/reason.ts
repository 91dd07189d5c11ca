// The reason for a change, which every event of the change keeps.

export const MAX_REASON_LENGTH = 500;

/** The header of a write that has a reason. */
export const because = (reason = ''): { 'Halyard-Comment'?: string } =>
  reason.trim() === '' ? {} : { 'Halyard-Comment': encodeURIComponent(reason.trim().toWellFormed()) };

/** A change that the server rejected because its project requires a reason. */
export type Question = {
  message: string;
  /** Resends the change with the reason. Undefined: the user cancels it. */
  answer(reason: string | undefined): void;
};

let questions: readonly Question[] = [];
const listeners = new Set<() => void>();

/** The oldest question that is open. */
export const readQuestion = (): Question | undefined => questions[0];

export function onQuestion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setQuestions(next: readonly Question[]): void {
  questions = next;
  for (const listener of listeners) listener();
}

const PATH = '/headers/halyard-comment';

/** Asks for the reason that a rejected change lacks. Undefined: it was rejected for something else, or the user cancels it. */
export async function askForReason(request: Request, response: Response): Promise<string | undefined> {
  if (response.status !== 400 || request.headers.has('Halyard-Comment')) return undefined;
  const body: { details?: { path?: string; message: string }[] } = await response
    .clone()
    .json()
    .catch(() => ({}));
  const detail = body.details?.find(({ path }) => path === PATH);
  if (!detail) return undefined;
  return await new Promise(resolve => {
    const question: Question = {
      message: detail.message,
      answer: reason => {
        setQuestions(questions.filter(one => one !== question));
        resolve(reason);
      },
    };
    setQuestions([...questions, question]);
  });
}
