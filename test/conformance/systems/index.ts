/** One adapter per original system. */
import type { Adapter } from '../adapter.ts';
import { fourLayer } from './four-layer.ts';
import { htmlgraph } from './htmlgraph.ts';
import { orchestrationDiscipline } from './orchestration-discipline.ts';
import { pipeline } from './pipeline.ts';
import { workflowOrchestrator } from './workflow-orchestrator.ts';

export const ADAPTERS: readonly Adapter[] = [orchestrationDiscipline, htmlgraph, workflowOrchestrator, fourLayer, pipeline];
