export { StrategyTypesPage } from './page.tsx';
