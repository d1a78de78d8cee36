-- Schema of a cloudnee database.
--
-- version 1: the first.
--
-- Times are microseconds since 1970 in UTC. Masks hold one bit for each audience of the org.
-- A scope is one distinct mask of an org: rows of a scope are seen by the same audiences.

-- What the whole file agrees on: the embedding model and its dimensions.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One org (tenant). `revision` grows by one with each write; `generation` when rows were deleted,
-- so that a copy kept in memory knows whether to read what is new or everything. `extractor` reads its
-- pages where nothing else is said: 'rules', 'llm' or 'both'; '' is the rules too.
CREATE TABLE orgs (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    secret     BLOB NOT NULL,
    extractor  TEXT NOT NULL DEFAULT '',
    revision   INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One audience of an org and its rules: path patterns, one a line.
CREATE TABLE audiences (
    org    INTEGER NOT NULL REFERENCES orgs,
    name   TEXT NOT NULL,
    bit    INTEGER NOT NULL,
    sees   TEXT NOT NULL,
    hides  TEXT NOT NULL,
    writes TEXT NOT NULL,
    PRIMARY KEY (org, name)
) STRICT, WITHOUT ROWID;

-- One distinct set of audiences, with the size of its part of the passage index.
CREATE TABLE scopes (
    id       INTEGER PRIMARY KEY,
    org      INTEGER NOT NULL REFERENCES orgs,
    mask     INTEGER NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    terms    INTEGER NOT NULL DEFAULT 0,
    UNIQUE (org, mask)
) STRICT;

-- One page as last given, whether or not it has been read. `read_hash` and `reading` say what the
-- facts were read from and by what; `own_date` is the date the page gives itself. A page whose file
-- went from its folder has status 'gone' and no text; its past facts and its names stay. `waiting`
-- holds what was given beside a text that is not read yet. `origin` is the folder that brought the
-- page, `synced` the hash both had last, `conflict` the hash last put beside the folder's file.
CREATE TABLE pages (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    org          INTEGER NOT NULL REFERENCES orgs,
    path         TEXT NOT NULL,
    text         TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    read_hash    TEXT NOT NULL DEFAULT '',
    reading      TEXT NOT NULL DEFAULT '',
    status       TEXT NOT NULL,
    reason       TEXT NOT NULL DEFAULT '',
    subject      TEXT NOT NULL,
    subject_key  TEXT NOT NULL,
    entity       INTEGER,
    tags         TEXT NOT NULL DEFAULT '',
    own_date     INTEGER,
    as_of        INTEGER NOT NULL,
    scope        INTEGER NOT NULL REFERENCES scopes,
    seen_by      INTEGER NOT NULL,
    waiting      TEXT NOT NULL DEFAULT '',
    origin       TEXT NOT NULL DEFAULT '',
    synced       TEXT NOT NULL DEFAULT '',
    conflict     TEXT NOT NULL DEFAULT '',
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    UNIQUE (org, path)
) STRICT;
CREATE INDEX pages_unread ON pages (org, path) WHERE status NOT IN ('written', 'gone');
CREATE INDEX pages_subject ON pages (org, subject_key);

-- One reply of a language model to a chunk of a page, so that an edited page pays only for the
-- chunks that changed. Those of chunks that a page no longer has go when it is read.
CREATE TABLE replies (
    org   INTEGER NOT NULL,
    path  TEXT NOT NULL,
    key   TEXT NOT NULL,
    reply TEXT NOT NULL,
    PRIMARY KEY (org, path, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_key ON replies (org, key);

-- The passages of one page, packed: a record each of where it stands and what it is like, the
-- headings and speakers they count into (one a line), and their vectors as int8 rows with a scale
-- each (0: the model cannot read it). No vectors: they are not made yet. `title` is the key of what
-- the page is called, `short` that without what stands in brackets behind it. The text index holds
-- a passage under its page's row, shifted, and its place there.
CREATE TABLE passages (
    page     INTEGER PRIMARY KEY REFERENCES pages,
    org      INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    title    TEXT NOT NULL,
    short    TEXT NOT NULL,
    many     INTEGER NOT NULL,
    terms    INTEGER NOT NULL,
    packed   BLOB NOT NULL,
    headings TEXT NOT NULL,
    speakers TEXT NOT NULL,
    vectors  BLOB NOT NULL,
    scales   BLOB NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX passages_revision ON passages (org, revision);
CREATE INDEX passages_title ON passages (org, title);
CREATE INDEX passages_short ON passages (org, short) WHERE short <> title;

-- One passage that names something which another page is about, links to, or has a handle for, as
-- known when the page was written: the name's key, and the line of the page that has it.
CREATE TABLE mentions (
    org   INTEGER NOT NULL,
    page  INTEGER NOT NULL REFERENCES pages,
    place INTEGER NOT NULL,
    key   TEXT NOT NULL,
    line  INTEGER NOT NULL,
    PRIMARY KEY (page, place, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_key ON mentions (org, key);

-- One thing that facts speak of. `uses` counts the edges, names and aliases that name it.
CREATE TABLE entities (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    org    INTEGER NOT NULL REFERENCES orgs,
    eid    TEXT NOT NULL,
    key    TEXT NOT NULL,
    folded TEXT NOT NULL,
    word   TEXT NOT NULL DEFAULT '',
    uses   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (org, eid)
) STRICT;
CREATE INDEX entities_key ON entities (org, key);
CREATE INDEX entities_folded ON entities (org, folded);

-- One page's name for an entity: its first spelling there. `declared`: the page is about it, or
-- links to it; a mere value is not declared.
CREATE TABLE names (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    page     INTEGER NOT NULL REFERENCES pages,
    entity   INTEGER NOT NULL REFERENCES entities,
    key      TEXT NOT NULL,
    name     TEXT NOT NULL,
    type     TEXT NOT NULL,
    declared INTEGER NOT NULL,
    scope    INTEGER NOT NULL
) STRICT;
CREATE INDEX names_page ON names (page);
CREATE INDEX names_entity ON names (entity, scope, id);
CREATE INDEX names_typed ON names (entity, scope, id) WHERE type <> '';
CREATE INDEX names_declared ON names (entity, scope) WHERE declared;

-- One other key that an entity has come to be known by (merged, or `same_as`).
CREATE TABLE other_keys (
    org    INTEGER NOT NULL,
    key    TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities,
    PRIMARY KEY (org, key, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX other_keys_entity ON other_keys (entity);
CREATE TRIGGER entity_removed AFTER DELETE ON entities BEGIN
    DELETE FROM other_keys WHERE entity = OLD.id;
END;

-- One time somebody said who is who: entity `gone` is `kept` too ('merge'), or part of what was
-- `kept` is `gone` ('split'). Both are public ids; `word` is the `entity:` word of `gone`.
CREATE TABLE merges (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    org     INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    kept    TEXT NOT NULL,
    gone    TEXT NOT NULL,
    word    TEXT NOT NULL DEFAULT '',
    made_at INTEGER NOT NULL
) STRICT;

-- One page's name that this was said of: the entity it means since, and the one it meant before.
CREATE TABLE said (
    org    INTEGER NOT NULL,
    path   TEXT NOT NULL,
    key    TEXT NOT NULL,
    merge  INTEGER NOT NULL REFERENCES merges,
    entity TEXT NOT NULL,
    was    TEXT NOT NULL,
    PRIMARY KEY (org, path, key, merge)
) STRICT, WITHOUT ROWID;
CREATE INDEX said_merge ON said (merge);

-- One handle that a page, or a caller with a page, gave an entity.
CREATE TABLE aliases (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    org    INTEGER NOT NULL,
    page   INTEGER NOT NULL REFERENCES pages,
    entity INTEGER NOT NULL REFERENCES entities,
    kind   TEXT NOT NULL,
    handle TEXT NOT NULL,
    key    TEXT NOT NULL,
    name   TEXT NOT NULL,
    given  INTEGER NOT NULL,
    scope  INTEGER NOT NULL,
    UNIQUE (page, entity, kind, key)
) STRICT;
CREATE INDEX aliases_entity ON aliases (entity);

-- One way a handle can be written when it is looked up: a phone has several.
CREATE TABLE alias_keys (
    org   INTEGER NOT NULL,
    key   TEXT NOT NULL,
    alias INTEGER NOT NULL REFERENCES aliases ON DELETE CASCADE,
    PRIMARY KEY (org, key, alias)
) STRICT, WITHOUT ROWID;
CREATE INDEX alias_keys_alias ON alias_keys (alias);

-- One distinct text that an edge shows: a name (kind 0) or a triplet (kind 1). Counts of the edges
-- that use it: all, the stated ones, those current for somebody. `vector`: 0 none, 1 in the index,
-- 2 parked, 3 the model cannot read it.
CREATE TABLE texts (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    org      INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    text     TEXT NOT NULL,
    uses     INTEGER NOT NULL DEFAULT 0,
    stated   INTEGER NOT NULL DEFAULT 0,
    live     INTEGER NOT NULL DEFAULT 0,
    vector   INTEGER NOT NULL DEFAULT 0,
    revision INTEGER NOT NULL DEFAULT 0,
    UNIQUE (org, kind, text)
) STRICT;
CREATE INDEX texts_revision ON texts (org, revision);

-- One vector that is in no index now, of a text that is still stated: it may be current again.
CREATE TABLE parked (
    text   INTEGER PRIMARY KEY REFERENCES texts,
    vector BLOB NOT NULL
) STRICT;

-- One interval in which one page stated one fact. `eid` is the fact's id, with `.n` from the
-- second interval on. `written` orders writes; `seen_by` and `current_for` are masks.
CREATE TABLE edges (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    org         INTEGER NOT NULL REFERENCES orgs,
    eid         TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,
    page        INTEGER NOT NULL REFERENCES pages,
    source      INTEGER NOT NULL REFERENCES entities,
    relation    TEXT NOT NULL,
    target      INTEGER NOT NULL REFERENCES entities,
    source_text INTEGER NOT NULL REFERENCES texts,
    target_text INTEGER NOT NULL REFERENCES texts,
    text        INTEGER NOT NULL REFERENCES texts,
    chunk       INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    quote       TEXT NOT NULL,
    importance  REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    weight      REAL NOT NULL DEFAULT 0.5 CHECK (weight BETWEEN 0 AND 1),
    since       INTEGER NOT NULL,
    as_of       INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    written     INTEGER NOT NULL,
    retired_at  INTEGER,
    ended       TEXT NOT NULL DEFAULT '',
    scope       INTEGER NOT NULL,
    seen_by     INTEGER NOT NULL,
    current_for INTEGER NOT NULL,
    revision    INTEGER NOT NULL,
    UNIQUE (org, eid)
) STRICT;
CREATE INDEX edges_page ON edges (page);
CREATE INDEX edges_source ON edges (source, relation) WHERE retired_at IS NULL;
CREATE INDEX edges_target ON edges (target, relation) WHERE retired_at IS NULL;
CREATE INDEX edges_past_source ON edges (source) WHERE retired_at IS NOT NULL;
CREATE INDEX edges_past_target ON edges (target) WHERE retired_at IS NOT NULL;
CREATE INDEX edges_revision ON edges (org, revision);

-- One rating of a fact under a key; the order of ids is the order given. 0: waiting in the queue.
CREATE TABLE ratings (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    org      INTEGER NOT NULL,
    fact     TEXT NOT NULL,
    key      TEXT NOT NULL,
    rating   INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    implicit INTEGER NOT NULL,
    given_at INTEGER NOT NULL,
    applied  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (org, fact, key)
) STRICT;
CREATE INDEX ratings_queue ON ratings (org, given_at) WHERE applied = 0;

-- One pair of edges, by their rows, that a model said can't both be true: the loser is history for
-- those who see the winner, while that is stated.
CREATE TABLE contradictions (
    loser   INTEGER NOT NULL,
    winner  INTEGER NOT NULL,
    org     INTEGER NOT NULL,
    reason  TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (loser, winner)
) STRICT, WITHOUT ROWID;
CREATE INDEX contradictions_winner ON contradictions (winner);
CREATE INDEX contradictions_org ON contradictions (org);

-- One note that came with a key, or one numbered message of the run of messages that a key names:
-- the same delivered again is not written again. Key and words are keyed hashes; -1 is no number.
CREATE TABLE deliveries (
    org    INTEGER NOT NULL,
    key    BLOB NOT NULL,
    number INTEGER NOT NULL,
    words  BLOB NOT NULL,
    PRIMARY KEY (org, key, number)
) STRICT, WITHOUT ROWID;

-- One taught synonym that expands a question.
CREATE TABLE words (
    org       INTEGER NOT NULL,
    key       TEXT NOT NULL,
    word      TEXT NOT NULL,
    canonical TEXT NOT NULL,
    PRIMARY KEY (org, key)
) STRICT, WITHOUT ROWID;

-- One thing that was forgotten, as a keyed hash: kind 'page' or 'fact'.
CREATE TABLE tombstones (
    org  INTEGER NOT NULL,
    kind TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (org, kind, hash)
) STRICT, WITHOUT ROWID;

-- One key of a network door, as a hash of it: whose memory it opens, and as which audience. A revoked
-- one stays, so that a server that once asked for keys never stops to.
CREATE TABLE keys (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE,
    org        TEXT NOT NULL,
    audience   TEXT NOT NULL,
    label      TEXT NOT NULL,
    read_only  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

-- Text indexes. Terms are folded and cut by cloudnee, each with its scope before it, so that a
-- question can only be asked of the scopes that its audience sees.
CREATE VIRTUAL TABLE edge_terms USING fts5 (
    terms, content='', contentless_delete=1, detail=none,
    tokenize="ascii tokenchars '!#$%&''*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE edge_postings USING fts5vocab (edge_terms, instance);
CREATE VIRTUAL TABLE passage_terms USING fts5 (
    terms, content='', contentless_delete=1,
    tokenize="ascii tokenchars '!#$%&''*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE passage_postings USING fts5vocab (passage_terms, instance);
CREATE VIRTUAL TABLE passage_words USING fts5vocab (passage_terms, row);

-- Counts of use, kept by the database itself.
CREATE TRIGGER edge_added AFTER INSERT ON edges BEGIN
    UPDATE texts SET uses = uses + 1, stated = stated + (NEW.retired_at IS NULL),
                     live = live + (NEW.current_for <> 0)
     WHERE id IN (NEW.source_text, NEW.target_text, NEW.text);
    UPDATE entities SET uses = uses + 1 WHERE id IN (NEW.source, NEW.target);
END;
CREATE TRIGGER edge_removed AFTER DELETE ON edges BEGIN
    UPDATE texts SET uses = uses - 1, stated = stated - (OLD.retired_at IS NULL),
                     live = live - (OLD.current_for <> 0)
     WHERE id IN (OLD.source_text, OLD.target_text, OLD.text);
    UPDATE entities SET uses = uses - 1 WHERE id IN (OLD.source, OLD.target);
END;
CREATE TRIGGER edge_judged AFTER UPDATE OF retired_at, current_for ON edges
WHEN (OLD.retired_at IS NULL) <> (NEW.retired_at IS NULL)
  OR (OLD.current_for <> 0) <> (NEW.current_for <> 0)
BEGIN
    UPDATE texts SET stated = stated + (NEW.retired_at IS NULL) - (OLD.retired_at IS NULL),
                     live = live + (NEW.current_for <> 0) - (OLD.current_for <> 0)
     WHERE id IN (NEW.source_text, NEW.target_text, NEW.text);
END;
CREATE TRIGGER edge_moved AFTER UPDATE OF source, target ON edges BEGIN
    UPDATE entities SET uses = uses - 1 WHERE id IN (OLD.source, OLD.target);
    UPDATE entities SET uses = uses + 1 WHERE id IN (NEW.source, NEW.target);
END;
CREATE TRIGGER name_added AFTER INSERT ON names BEGIN
    UPDATE entities SET uses = uses + 1 WHERE id = NEW.entity;
END;
CREATE TRIGGER name_removed AFTER DELETE ON names BEGIN
    UPDATE entities SET uses = uses - 1 WHERE id = OLD.entity;
END;
CREATE TRIGGER name_moved AFTER UPDATE OF entity ON names BEGIN
    UPDATE entities SET uses = uses - 1 WHERE id = OLD.entity;
    UPDATE entities SET uses = uses + 1 WHERE id = NEW.entity;
END;
CREATE TRIGGER alias_added AFTER INSERT ON aliases BEGIN
    UPDATE entities SET uses = uses + 1 WHERE id = NEW.entity;
END;
CREATE TRIGGER alias_removed AFTER DELETE ON aliases BEGIN
    UPDATE entities SET uses = uses - 1 WHERE id = OLD.entity;
END;
CREATE TRIGGER alias_moved AFTER UPDATE OF entity ON aliases BEGIN
    UPDATE entities SET uses = uses - 1 WHERE id = OLD.entity;
    UPDATE entities SET uses = uses + 1 WHERE id = NEW.entity;
END;
