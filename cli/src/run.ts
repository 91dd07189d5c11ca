// The CLI alone, without the server's commands.
import { runProcess } from './process.ts';

await runProcess();
