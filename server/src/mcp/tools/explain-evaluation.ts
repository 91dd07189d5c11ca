import { ALL } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { toSingleContext } from '../../explaining/playground/contexts.ts';
import { evaluateAll } from '../../explaining/playground/play.ts';
import type { PlaygroundEvaluation } from '../../explaining/playground/schema.ts';
import { findFlagProject } from '../flag-location.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

/** The standard context fields of SDKs. All other fields are properties. */
const KNOWN_FIELDS: readonly string[] = ['appName', 'userId', 'sessionId', 'remoteAddress', 'currentTime'];

export const explainEvaluation = tool({
  name: 'explain_evaluation',
  title: 'Explain an evaluation',
  description:
    'Evaluates a flag for a context exactly as SDKs do and explains why, now or at a past time. Context fields: userId, sessionId, appName, remoteAddress, currentTime or your own.',
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
    await findFlagProject(call, flag);
    const entries = Object.entries(context);
    const knownEntries = entries.filter(([name]) => KNOWN_FIELDS.includes(name));
    const otherEntries = entries.filter(([name]) => !KNOWN_FIELDS.includes(name));
    const input = { ...Object.fromEntries(knownEntries), properties: Object.fromEntries(otherEntries) };
    const { features, notEvaluated } = await longReads.run({ caller, visit }, db =>
      evaluateAll(
        db,
        call.actor,
        { names: [environment], getPath: () => 'environment' },
        { projects: ALL, features: [flag], ...(at !== undefined && { at }) },
        toSingleContext(input, '/arguments/context'),
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
      steps: takeFittingItems(explanation),
    };
  },
  text: result => [
    result.enabled === undefined
      ? `Flag ${quoteName(result.flag)} cannot be evaluated: ${result.reason}`
      : `Flag ${quoteName(result.flag)} is ${result.enabled ? 'enabled' : 'disabled'} in ${quoteName(result.environment)}${result.variant === undefined ? '' : `, variant ${quoteName(result.variant)}`}`,
    ...(result.steps ?? []),
  ],
});
