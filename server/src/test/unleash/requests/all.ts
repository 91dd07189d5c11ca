import { SETUP_REQUESTS } from './beginning.ts';
import { FEATURE_REQUESTS } from './features.ts';
import { INSTANCE_REQUESTS } from './instance.ts';
import { LOGIN_REQUESTS } from './login.ts';
import { PEOPLE_REQUESTS } from './people.ts';
import { PROJECT_REQUESTS } from './projects.ts';
import { SDK_REQUESTS } from './sdks.ts';
import type { Request, Until } from './step.ts';
import { TARGETING_REQUESTS } from './targeting.ts';

/** Everything that is sent to both servers, in this order. Both servers start empty. */
export const REQUESTS: (Request | Until)[] = [
  ...SETUP_REQUESTS,
  ...SDK_REQUESTS,
  ...LOGIN_REQUESTS,
  ...FEATURE_REQUESTS,
  ...PROJECT_REQUESTS,
  ...TARGETING_REQUESTS,
  ...PEOPLE_REQUESTS,
  ...INSTANCE_REQUESTS,
];
