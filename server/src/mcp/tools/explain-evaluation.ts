import { Type } from 'typebox';
import { ALL } from '../../../../plane/src/platform/http/schema.ts';
import { singleContext } from '../../explaining/playground/contexts.ts';
import { play } from '../../explaining/playground/play.ts';
import type { PlaygroundEvaluation } from '../../explaining/playground/schema.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { projectOf } from '../place.ts';
import { fitting, named } from '../shown.ts';
import { tool } from '../tool.ts';

/** Fields of a context that SDKs know. Others are properties. */
const KNOWN: readonly string[] = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'];

export const explainEvaluation = tool({
  name: 'explain_evaluation',
  title: 'Explain an evaluation',
  description:
    'Evaluates a flag for a context exactly as SDKs do and says why, now or at a past time. Context fields: userId, sessionId, appName, remoteAddress, currentTime or your own.',
  effect: 'reads',
  input: Arguments({
    flag: Flag,
    environment: Environment,
    context: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1_000 }), { maxProperties: 50 }),
    ),
    at: Type.Optional(Type.String({ maxLength: 40, description: 'Such as 2026-11-15T12:00:00Z' })),
  }),
  run: async (
    { instance: { longReads }, request: { caller, visit }, ...call },
    { flag, environment, context = {}, at },
  ) => {
    await projectOf(call, flag);
    const entries = Object.entries(context);
    const known = entries.filter(([name]) => KNOWN.includes(name));
    const properties = entries.filter(([name]) => !KNOWN.includes(name));
    const input = { ...Object.fromEntries(known), properties: Object.fromEntries(properties) };
    const { features, notEvaluated } = await longReads.run({ caller, visit }, db =>
      play(
        db,
        call.actor,
        { names: [environment], pathOf: () => 'environment' },
        { projects: ALL, features: [flag], ...(at !== undefined && { at }) },
        singleContext(input, '/arguments/context'),
        JSON.stringify,
      ),
    );
    const [text] = features[0]?.environments.get(environment) ?? [];
    if (text === undefined)
      return { flag, environment, evaluated: false, reason: notEvaluated[0]?.reason ?? 'not-in-environment' };
    const { isEnabled, reason, explanation, variant } = JSON.parse(text) as PlaygroundEvaluation;
    return {
      flag,
      environment,
      evaluated: true,
      enabled: isEnabled,
      reason,
      variant: variant?.name === 'disabled' ? undefined : variant?.name,
      steps: fitting(explanation),
    };
  },
  text: result => [
    result.enabled === undefined
      ? `Flag ${named(result.flag)} cannot be evaluated: ${result.reason}`
      : `Flag ${named(result.flag)} is ${result.enabled ? 'enabled' : 'disabled'} in ${named(result.environment)}${result.variant === undefined ? '' : `, variant ${named(result.variant)}`}`,
    ...(result.steps ?? []),
  ],
});
