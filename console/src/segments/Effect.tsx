import { FlagLink } from '../features/FlagLink.tsx';
import { listOf } from '../features/words.ts';
import { Env } from '../ui/Env.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { counted } from '../ui/words.ts';
import type { EnvironmentEffect } from './effect.ts';
import s from './segments.module.css';

const SHOWN = 8;

/** The flags that reach different users when the constraints are saved, by environment. */
export function Effect({
  effects,
  isChanged,
}: {
  effects: readonly EnvironmentEffect[];
  isChanged: boolean;
}) {
  if (effects.length === 0) return null;
  return (
    <RailSection title="Saving affects">
      {!isChanged && (
        <p className={s.words}>Nothing yet. If you change a constraint, these flags reach different users.</p>
      )}
      <ul className={s.effects} data-changed={isChanged || undefined}>
        {effects.map(({ environment, type, affected, disabled }) => (
          <li key={environment}>
            <div>
              <Env name={environment} type={type} />
              <b>{affected.length === 0 ? 'no change' : counted(affected.length, 'flag')}</b>
            </div>
            {affected.length > 0 && (
              <p>
                {affected.slice(0, SHOWN).map(({ name, project }) => (
                  <FlagLink key={name} project={project} name={name} />
                ))}
                {affected.length > SHOWN && <span>and {affected.length - SHOWN} more</span>}
              </p>
            )}
            {disabled.length > 0 && (
              <small>
                {listOf(disabled, 'and')} {disabled.length === 1 ? 'is' : 'are'} disabled here.
              </small>
            )}
          </li>
        ))}
      </ul>
    </RailSection>
  );
}
