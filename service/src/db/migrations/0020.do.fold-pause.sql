-- A moved sandbox clock reaches the other nodes a moment later. Until then nothing is chosen to be folded.

alter table fold_cursors add column paused_until timestamptz;
