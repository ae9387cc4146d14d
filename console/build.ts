/** Whether what makes the console is there. */
function canBuild(): boolean {
  try {
    // Throws for what is not installed.
    for (const name of ['vite', '@vitejs/plugin-react', 'react']) import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

if (canBuild()) {
  const { makeDist } = await import('./make-dist.ts')
  await makeDist()
} else if (!process.argv.includes('--if-possible')) {
  throw new Error('The console cannot be built: its tools are not installed')
}
