import type { App } from '@halyard/plane/platform/http/app.ts';
import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Permission } from '../access/permissions.ts';
import type { Actor } from '../platform/actor.ts';
import type { Db } from '../platform/db/database.ts';
import type { Instance } from '../platform/instance.ts';
import type { StoredOperation } from '../record/operations/stored.ts';
import type { PlanKeys } from './plan.ts';

/** A tool call: the caller, and the server that runs it. */
export type Call = {
  app: App;
  db: Db;
  instance: Instance;
  planKeys: PlanKeys;
  request: FastifyRequest;
  actor: Actor;
  /** Runs a query of the admin API as the caller. The type parameter is the type of its response. */
  read: <T>(operation: string, input: StoredOperation['input']) => Promise<T>;
};

/** A tool reads, adds something harmless, or changes what exists. */
export type Effect = 'reads' | 'adds' | 'changes';

type ToolDefinition<Input extends TSchema, Result extends object> = {
  name: string;
  title: string;
  /** What the tool does, for a model. Never contains text from users. */
  description: string;
  effect: Effect;
  /**
   * The tool is listed only for callers who have one of these permissions in some project. If absent, it is listed for everyone.
   */
  needs?: readonly Permission[];
  input: Input;
  run: (call: Call, input: Static<Input>) => Promise<Result>;
  /** Formats the result as compact lines, because some clients show a model only the text. */
  text: (result: Result) => string[];
};

// biome-ignore lint/suspicious/noExplicitAny: the tools in a list have different inputs
export type Tool = ToolDefinition<any, any>;

export const tool = <Input extends TSchema, Result extends object>(
  definition: ToolDefinition<Input, Result>,
): Tool => definition as unknown as Tool;

/**
 * Returns the tool as `tools/list` shows it. All four hints are set, because clients assume the worst if a hint is missing: a
 * destructive, open-world tool.
 */
export const toToolDefinition = ({ name, title, description, effect, input }: Tool) => ({
  name,
  title,
  description,
  inputSchema: input,
  annotations: {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'changes',
    // Repeating a call is safe: reads change nothing, and creating a flag or applying a plan a second time is rejected.
    idempotentHint: true,
    openWorldHint: false,
  },
});
