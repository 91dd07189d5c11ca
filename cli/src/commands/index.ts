import type { AnyCommand } from '../command.ts';
import { api } from './account/api.ts';
import { completion } from './account/completion.ts';
import { doctor } from './account/doctor.ts';
import { listen } from './account/listen.ts';
import { login } from './account/login.ts';
import { logout } from './account/logout.ts';
import { mcp } from './account/mcp.ts';
import { whoami } from './account/whoami.ts';
import { scan } from './code/scan.ts';
import { types } from './code/types.ts';
import { deliveriesList } from './deliveries/list.ts';
import { deliveriesRedeliver } from './deliveries/redeliver.ts';
import { deliveriesShow } from './deliveries/show.ts';
import { deliveriesTail } from './deliveries/tail.ts';
import { dev } from './dev/dev.ts';
import { environmentsList } from './environments/list.ts';
import { eventsExport } from './events/export.ts';
import { eventsSearch } from './events/search.ts';
import { eventsShow } from './events/show.ts';
import { eventsTail } from './events/tail.ts';
import { flagsApply } from './flags/apply.ts';
import { flagsArchive } from './flags/archive.ts';
import { flagsClone } from './flags/clone.ts';
import { flagsCreate } from './flags/create.ts';
import { flagsDiff } from './flags/diff.ts';
import { flagsExplain } from './flags/explain.ts';
import { flagsExport } from './flags/export.ts';
import { flagsList } from './flags/list.ts';
import { flagsOff } from './flags/off.ts';
import { flagsOn } from './flags/on.ts';
import { flagsPlan } from './flags/plan.ts';
import { flagsRevive } from './flags/revive.ts';
import { flagsShow } from './flags/show.ts';
import { flagsStale } from './flags/stale.ts';
import { profileList } from './profile/list.ts';
import { profileSet } from './profile/set.ts';
import { profileUse } from './profile/use.ts';
import { projectsCreate } from './projects/create.ts';
import { projectsHealth } from './projects/health.ts';
import { projectsList } from './projects/list.ts';
import { projectsShow } from './projects/show.ts';
import { segmentsList } from './segments/list.ts';
import { segmentsShow } from './segments/show.ts';
import { tokensCreate } from './tokens/create.ts';
import { tokensDelegate } from './tokens/delegate.ts';
import { tokensList } from './tokens/list.ts';
import { tokensRevoke } from './tokens/revoke.ts';
import { usersList } from './users/list.ts';

/** Descriptions of the command groups, by the first word that their commands share. */
export const GROUPS: Record<string, string> = {
  profile: 'Switch between servers',
  flags: 'Work with flags',
  projects: 'Work with projects',
  environments: 'View environments',
  segments: 'View segments',
  tokens: 'Create and revoke tokens for SDKs, scripts and agents',
  users: 'View users',
  events: 'Read the log of all changes',
  deliveries: 'Inspect and redeliver deliveries to integrations',
};

/** All commands, in the order of the reference page. */
export const COMMANDS: AnyCommand[] = [
  login,
  logout,
  whoami,
  profileList,
  profileUse,
  profileSet,
  api,
  completion,
  doctor,
  flagsList,
  flagsShow,
  flagsCreate,
  flagsOn,
  flagsOff,
  flagsExplain,
  flagsDiff,
  flagsClone,
  flagsStale,
  flagsArchive,
  flagsRevive,
  flagsExport,
  flagsPlan,
  flagsApply,
  projectsList,
  projectsShow,
  projectsCreate,
  projectsHealth,
  environmentsList,
  segmentsList,
  segmentsShow,
  tokensList,
  tokensCreate,
  tokensDelegate,
  tokensRevoke,
  usersList,
  eventsSearch,
  eventsShow,
  eventsExport,
  eventsTail,
  deliveriesList,
  deliveriesShow,
  deliveriesRedeliver,
  deliveriesTail,
  listen,
  mcp,
  types,
  scan,
  dev,
];
