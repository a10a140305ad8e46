import CSndFile

/// What a file can say of itself in words.
public enum MetadataTag: String, Sendable, Hashable, CaseIterable {
    /// What it is called.
    case title
    /// Who is heard.
    case artist
    /// What it is a part of.
    case album
    /// Anything else.
    case comment
    /// When it was made.
    case date
    /// The kind of sound.
    case genre
    /// Its number among those that it is a part of.
    case track
    /// Whose it is.
    case copyright
    /// What may be done with it.
    case license

    /// libsndfile's number for it.
    var soundFileString: Int {
        switch self {
        case .title: SF_STR_TITLE
        case .artist: SF_STR_ARTIST
        case .album: SF_STR_ALBUM
        case .comment: SF_STR_COMMENT
        case .date: SF_STR_DATE
        case .genre: SF_STR_GENRE
        case .track: SF_STR_TRACKNUMBER
        case .copyright: SF_STR_COPYRIGHT
        case .license: SF_STR_LICENSE
        }
    }
}

extension Container {
    /// The tags that it has a place for, as libsndfile writes it.
    public var tags: [MetadataTag] {
        switch self {
        case .caf, .flac, .vorbis, .opus: MetadataTag.allCases
        case .wav, .rf64: [.title, .artist, .album, .comment, .date, .genre, .track, .copyright]
        case .mp3: [.title, .artist, .album, .comment, .date, .genre, .track]
        case .aiff: [.title, .artist, .comment, .copyright]
        case .w64, .raw: []
        }
    }

    /// Whether it has a `bext` chunk (EBU Tech 3285).
    public var hasBroadcastInfo: Bool { self == .wav || self == .rf64 }
}
