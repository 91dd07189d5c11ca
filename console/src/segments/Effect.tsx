import { FlagLink } from '../features/FlagLink.tsx';
import { formatList } from '../features/words.ts';
import { Env } from '../ui/Env.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { formatCount } from '../ui/words.ts';
import type { EnvironmentEffect } from './effect.ts';
import s from './segments.module.css';

const MAX_SHOWN = 8;

/** Lists, for each environment, the flags that reach different users when the constraints are saved. */
export function Effect({
  effects,
  isChanged,
}: {
  effects: readonly EnvironmentEffect[];
  isChanged: boolean;
}) {
  if (effects.length === 0) return null;
  return (
    <RailSection title="Affected flags">
      {!isChanged && (
        <p className={s.words}>Nothing yet. If you change a constraint, these flags reach different users.</p>
      )}
      <ul className={s.effects} data-changed={isChanged || undefined}>
        {effects.map(({ environment, type, affected, disabled }) => (
          <li key={environment}>
            <div>
              <Env name={environment} type={type} />
              <b>{affected.length === 0 ? 'no change' : formatCount(affected.length, 'flag')}</b>
            </div>
            {affected.length > 0 && (
              <p>
                {affected.slice(0, MAX_SHOWN).map(({ name, project }) => (
                  <FlagLink key={name} project={project} name={name} />
                ))}
                {affected.length > MAX_SHOWN && <span>and {affected.length - MAX_SHOWN} more</span>}
              </p>
            )}
            {disabled.length > 0 && (
              <small>
                {formatList(disabled, 'and')} {disabled.length === 1 ? 'is' : 'are'} disabled here.
              </small>
            )}
          </li>
        ))}
      </ul>
    </RailSection>
  );
}
