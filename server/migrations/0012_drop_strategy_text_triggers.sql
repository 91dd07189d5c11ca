-- Reads compose the text of strategies from their rows, so nothing keeps strategy_texts current any more. No release reads the
-- table. Otherwise the triggers would stay for one release longer, because the previous version reads it during an upgrade.
drop trigger strategies_added on feature_strategies;
drop trigger strategies_updated on feature_strategies;
drop trigger strategies_removed on feature_strategies;
drop trigger strategy_segments_added on feature_strategy_segments;
drop trigger strategy_segments_removed on feature_strategy_segments;
drop function strategies_changed();
drop function strategy_segments_changed();
drop function write_strategy_texts(text[]);
