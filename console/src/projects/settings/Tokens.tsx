import { Tokens } from '../../api-tokens/list.tsx';
import { SettingsPage } from './Frame.tsx';
import { getTokensPath } from './tokens-path.ts';

/** Lists the API tokens of the project, without tokens that apply to all projects. */
export function ProjectTokensPage() {
  return <SettingsPage>{({ id }) => <Tokens key={id} project={id} path={getTokensPath(id)} />}</SettingsPage>;
}
