import { command, ENVIRONMENT } from '../../command.ts';
import { FLAG, IN_PROJECT } from './find.ts';
import { describeToggle, toggle } from './toggle.ts';

export const flagsOn = command({
  name: 'flags on',
  brief: 'Enable a flag in an environment',
  args: { flag: FLAG },
  options: { environment: ENVIRONMENT, project: IN_PROJECT },
  writes: 'change',
  calls: ['searchFeatures', 'enableFeature'],
  output: 'FeatureEnvironment',
  examples: [
    { does: 'Enable a flag and say why', run: 'flags on checkout-v2 -e production -m "See INC-1234"' },
  ],
  run: (context, { flag }, options) => toggle(context, flag, options, 'on'),
  text: describeToggle,
});
