/** `problem`: the service does not start, or money is at risk. `warning`: it runs, and something should be changed. */
export type Level = 'ok' | 'warning' | 'problem'

/** What one check found. */
export interface Finding {
  readonly level: Level
  /** What was checked, in one or two words. */
  readonly subject: string
  /** What was found and, unless all is well, what to do. */
  readonly text: string
}

export const ok = (subject: string, text: string): Finding => ({ level: 'ok', subject, text })
export const warning = (subject: string, text: string): Finding => ({ level: 'warning', subject, text })
export const problem = (subject: string, text: string): Finding => ({ level: 'problem', subject, text })
