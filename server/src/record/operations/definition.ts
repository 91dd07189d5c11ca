import type { ErrorStatus, NamedSchema, Nothing } from '@halyard/plane/platform/http/schema.ts';
import type { Static, TSchema, TUnsafe } from 'typebox';
import type { Permission, RoutePermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import type { ValidInput } from '../../platform/http/input/checks.ts';
import type { LongReader } from '../../platform/http/protection/long-reads.ts';
import type { Instance } from '../../platform/instance.ts';
import type { Change } from '../change.ts';
import type { EmittedEventType } from '../events/event-types.ts';
import type { Etagged, Precondition } from '../versioned.ts';

/** The input of an operation. It is plain JSON, so an operation can be stored together with its input and run later. */
export type Input<Params extends TSchema, Query extends TSchema, Body extends TSchema> = {
  params: Static<Params>;
  query: Static<Query>;
  body: Static<Body>;
};

/** Where an operation runs, and what the guard found out about its caller. */
export type Context = Instance & {
  /** The project where the permission was checked, if the path names a feature but no project. */
  projectOfFeature: string;
  /** The session of the request. It is null for a request with a token. */
  sessionId: number | null;
};

/** The context of an operation that reads. */
export type ReadContext = Context & { db: Reader; actor: Actor; longReader: LongReader };

type OperationDescription<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Output extends TSchema,
> = {
  /** The `operationId` in the OpenAPI document, and the name of a stored operation. */
  id: string;
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  summary: string;
  /** The OpenAPI document appends the required permissions and the events. */
  description: string;
  permission: RoutePermission;
  /** The permissions that the operation itself checks, because they depend on its input. */
  checkedPermission?: Permission[];
  /**
   * Set if the operation checks permissions that it cannot list, because each applies only to some inputs. The description names
   * them.
   */
  checksPermissions?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The schema of the successful response, with its description. By default, the response has no body. */
  output?: Output;
  /** The status of the successful response, which is 200 by default. */
  status?: 200 | 201 | 202 | 204;
  /** Error statuses beyond those that follow from the permission, the parameters and the body. */
  rejects?: ErrorStatus[];
  /** Rules that only read. They run even after a validation error, so that one response lists every violation. */
  checks?: ((input: ValidInput, db: Db, instance: Instance) => unknown)[];
  bodyLimit?: number;
  /** How many writes a call counts as, which is 1 by default. */
  cost?: number;
  /** If set, unknown fields in the body are rejected, except for the fields listed here. */
  rejectUnknownFieldsExcept?: readonly string[];
  /** Fields of the body that have no effect although the schema allows them. */
  ignoredPaths?: (body: unknown) => string[][];
  /** What the Halyard-Hint header says about a valid query that is probably not what the caller meant. */
  hint?: (query: Record<string, unknown>) => string | undefined;
  returnsSecret?: true;
};

/** An operation without a response body returns nothing. */
type ResponseOf<Out> = [Out] extends [undefined] ? Promise<void> : Promise<Out>;

/** The handlers of a query. `read` returns the response, or what `present` turns into the response. */
type QueryHandlers<In, Out, View> =
  | {
      read: (context: ReadContext, input: In) => ResponseOf<Out>;
      /** The resource that the response shows, if the response has the ETag that writes expect in If-Match. */
      versioned?: Etagged<Out & object>;
      /** The ETag of the response, as an alternative to `versioned` if it cannot be computed by omitting fields. */
      etag?: (output: Out) => string;
      present?: never;
    }
  | {
      read: (context: ReadContext, input: In) => Promise<View>;
      versioned: Etagged<View & object>;
      /** Builds the response from what was read, if the ETag covers more or less than the response. */
      present: (view: View) => Out;
      etag?: never;
    };

type QueryDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Output extends TSchema,
  View,
> = OperationDescription<Params, Query, Body, Output> &
  QueryHandlers<Input<Params, Query, Body>, Static<Output>, View> & {
    /**
     * Set for a POST whose response is not stored under an Idempotency-Key, so that a retry runs again with the current
     * permissions.
     */
    onlyReads?: true;
  };

/** An operation that changes nothing. */
export type Query<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Output extends TSchema,
  View,
> = QueryDefinition<Params, Query, Body, Output, View> & { kind: 'query' };

/**
 * The handlers of a command. `run` makes the change and returns the response, or leaves the response to `respond`, which runs
 * after the events are written.
 */
type CommandHandlers<In, Out, Result> =
  | {
      run: (current: Change, input: In, context: Context) => ResponseOf<Out>;
      respond?: never;
    }
  | {
      run: (current: Change, input: In, context: Context) => Promise<Result>;
      respond: (tx: Tx, actor: Actor, result: Result, input: In) => Promise<Out>;
    };

type CommandDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Output extends TSchema,
  Result,
  Plan extends TSchema,
> = OperationDescription<Params, Query, Body, Output> &
  CommandHandlers<Input<Params, Query, Body>, Static<Output>, Result> & {
    /** The types of the events that the operation can record. Empty if only the caller can see what the operation changes. */
    events: readonly EmittedEventType[];
    /** The state that If-Match is compared with. */
    precondition?: (input: Input<Params, Query, Body>, context: Context) => Precondition;
    /** The response to `?dryRun=true`, which says with status 200 what the operation would do. Nothing is changed. */
    dryRun?: {
      output: Plan;
      read: (context: ReadContext, input: Input<Params, Query, Body>) => Promise<Static<Plan>>;
    };
  };

/** An operation that changes something, in one transaction with its events. */
export type Command<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Output extends TSchema,
  Result,
  Plan extends TSchema,
> = CommandDefinition<Params, Query, Body, Output, Result, Plan> & { kind: 'command' };

// biome-ignore lint/suspicious/noExplicitAny: operations in one list have no input in common
export type AnyQuery = Query<any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: operations in one list have no input in common
export type AnyCommand = Command<any, any, any, any, any, any>;
export type Operation = AnyQuery | AnyCommand;

type EmptySchema = TUnsafe<Record<never, never>>;

/** Defines an operation that reads. The types of its input and output are inferred from its schemas. */
export const query = <
  Params extends TSchema = EmptySchema,
  QueryString extends TSchema = EmptySchema,
  Body extends TSchema = EmptySchema,
  Output extends TSchema = typeof Nothing,
  View = unknown,
>(
  definition: QueryDefinition<Params, QueryString, Body, Output, View>,
): Operation => ({ kind: 'query', ...definition }) as unknown as AnyQuery;

/** Defines an operation that writes. The types of its input and output are inferred from its schemas. */
export const command = <
  Params extends TSchema = EmptySchema,
  QueryString extends TSchema = EmptySchema,
  Body extends TSchema = EmptySchema,
  Output extends TSchema = typeof Nothing,
  Result = void,
  Plan extends TSchema = EmptySchema,
>(
  definition: CommandDefinition<Params, QueryString, Body, Output, Result, Plan>,
): Operation => ({ kind: 'command', ...definition }) as unknown as AnyCommand;

/** The operations of a module, and the named schemas that they refer to. */
export type OperationModule = { tag: string; schemas: NamedSchema[]; operations: Operation[] };
