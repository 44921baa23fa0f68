/** Turns the name of a hook event into what a verdict can do there; the names are the host's whole catalogue. */

/** What a deny, an ask and an advise come to at one event. */
export interface Reach {
  /** `feedback`: the deed has happened, the agent is told. */
  readonly deny: 'prevents' | 'feedback' | 'no';
  readonly ask: boolean;
  /** Who hears it. */
  readonly advise: 'agent' | 'person' | 'no';
  /** The event is about an agent that starts or stops, not about what one does. */
  readonly about?: 'agent';
}

const ROWS: Readonly<Record<string, Reach>> = {
  PreToolUse: { deny: 'prevents', ask: true, advise: 'agent' },
  PostToolUse: { deny: 'feedback', ask: false, advise: 'agent' },
  PostToolUseFailure: { deny: 'feedback', ask: false, advise: 'agent' },
  // A block would end the agent's loop, which no rule asks for.
  PostToolBatch: { deny: 'no', ask: false, advise: 'agent' },
  // Not a gate: under an SDK host the first answer wins.
  PermissionRequest: { deny: 'no', ask: false, advise: 'person' },
  PermissionDenied: { deny: 'no', ask: false, advise: 'person' },

  UserPromptSubmit: { deny: 'prevents', ask: false, advise: 'agent' },
  UserPromptExpansion: { deny: 'prevents', ask: false, advise: 'agent' },

  SessionStart: { deny: 'no', ask: false, advise: 'agent' },
  Setup: { deny: 'no', ask: false, advise: 'agent' },
  SessionEnd: { deny: 'no', ask: false, advise: 'no' },

  // As context an advice would make the agent go on, so the person gets it.
  Stop: { deny: 'prevents', ask: false, advise: 'person' },
  StopFailure: { deny: 'no', ask: false, advise: 'no' },
  SubagentStart: { deny: 'no', ask: false, advise: 'agent', about: 'agent' },
  SubagentStop: { deny: 'prevents', ask: false, advise: 'person', about: 'agent' },

  PreCompact: { deny: 'prevents', ask: false, advise: 'person' },
  PostCompact: { deny: 'no', ask: false, advise: 'no' },
  PreModelSwitch: { deny: 'no', ask: false, advise: 'person' },
  PostModelSwitch: { deny: 'no', ask: false, advise: 'agent' },

  TaskCreated: { deny: 'prevents', ask: false, advise: 'person' },
  TaskCompleted: { deny: 'prevents', ask: false, advise: 'person' },
  TeammateIdle: { deny: 'no', ask: false, advise: 'person' },

  ConfigChange: { deny: 'prevents', ask: false, advise: 'person' },
  Elicitation: { deny: 'no', ask: false, advise: 'person' },
  ElicitationResult: { deny: 'no', ask: false, advise: 'person' },
  CwdChanged: { deny: 'no', ask: false, advise: 'person' },
  FileChanged: { deny: 'no', ask: false, advise: 'person' },

  Notification: { deny: 'no', ask: false, advise: 'no' },
  InstructionsLoaded: { deny: 'no', ask: false, advise: 'no' },
  DirectoryAdded: { deny: 'no', ask: false, advise: 'no' },
  // Whatever is printed here is read as the path of the worktree.
  WorktreeCreate: { deny: 'no', ask: false, advise: 'no' },
  WorktreeRemove: { deny: 'no', ask: false, advise: 'no' },
  MessageDisplay: { deny: 'no', ask: false, advise: 'no' },
};

/** Every known event. Has no prototype, so that `constructor` is not one of them. */
export const EVENTS: Readonly<Record<string, Reach>> = Object.assign(Object.create(null), ROWS);
