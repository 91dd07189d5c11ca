import { listActorPermissions } from '../access/held-permissions.ts';
import type { Actor } from '../platform/actor.ts';
import type { Reader } from '../platform/db/database.ts';
import type { Tool } from './tool.ts';
import { applyPlan } from './tools/apply-plan.ts';
import { createFlag } from './tools/create-flag.ts';
import { explainEvaluation } from './tools/explain-evaluation.ts';
import { findFlags } from './tools/find-flags.ts';
import { getFlag } from './tools/get-flag.ts';
import { listDeliveries } from './tools/list-deliveries.ts';
import { listFindings } from './tools/list-findings.ts';
import { planChange } from './tools/plan-change.ts';
import { removalReadiness } from './tools/removal-readiness.ts';
import { searchEvents } from './tools/search-events.ts';
import { waitUntilLive } from './tools/wait-until-live.ts';
import { whoChanged } from './tools/who-changed.ts';

/** Every tool, in the order in which clients see them. */
export const TOOLS: readonly Tool[] = [
  findFlags,
  getFlag,
  explainEvaluation,
  searchEvents,
  whoChanged,
  listFindings,
  removalReadiness,
  listDeliveries,
  createFlag,
  planChange,
  applyPlan,
  waitUntilLive,
];

/** Lists the tools that the caller can use in at least one project. Each call is checked again, in its project and environment. */
export async function listAvailableTools(db: Reader, actor: Actor): Promise<Tool[]> {
  const permissions = new Set((await listActorPermissions(db, actor)).map(({ permission }) => permission));
  const canUse = ({ needs }: Tool): boolean =>
    needs === undefined ||
    (!actor.scope?.readOnly && (permissions.has('ADMIN') || needs.some(need => permissions.has(need))));
  return TOOLS.filter(canUse);
}
