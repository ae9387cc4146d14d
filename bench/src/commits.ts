/** What the service's metrics say about its commits so far. */
export interface Commits {
  readonly commits: number
  readonly commands: number
  readonly seconds: number
}

export async function readCommits(address: string): Promise<Commits> {
  const answer = await fetch(`${address}/metrics`)
  const text = await answer.text()
  return {
    commits: value(text, 'ledger_batch_commands_count'),
    commands: value(text, 'ledger_batch_commands_sum'),
    seconds: value(text, 'ledger_batch_seconds_sum'),
  }
}

function value(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
