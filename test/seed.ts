/** Property tests draw the same cases every time, so that a run can be repeated; `FC_SEED=1` and up explore others. */
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_118) });
