import { command, ENVIRONMENT } from '../../command.ts';
import { FLAG, IN_PROJECT } from './find.ts';
import { describeToggle, toggle } from './toggle.ts';

export const flagsOff = command({
  name: 'flags off',
  brief: 'Disable a flag in an environment',
  args: { flag: FLAG },
  options: { environment: ENVIRONMENT, project: IN_PROJECT },
  writes: 'change',
  calls: ['searchFeatures', 'disableFeature'],
  output: 'FeatureEnvironment',
  examples: [
    { does: 'Disable a flag and say why', run: 'flags off checkout-v2 -e production -m "See INC-1234"' },
  ],
  run: (context, { flag }, options) => toggle(context, flag, options, 'off'),
  text: describeToggle,
});
